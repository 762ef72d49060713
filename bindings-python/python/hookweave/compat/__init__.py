"""Other systems' programming interfaces, so that code written for them runs once its import path is replaced."""
