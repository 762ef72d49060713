#!/bin/sh
# Denies with escapes in its JSON: a quote, an emoji in two halves, a newline.
cat >/dev/null
printf '%s\n' '{"decision":"block","reason":"say \"no\" \ud83d\udeab\nand why"}'
