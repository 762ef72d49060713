#!/bin/sh
# Notes how much it was given to read.
wc -c | tr -d ' ' >length.txt
