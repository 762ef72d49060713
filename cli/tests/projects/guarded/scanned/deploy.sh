#!/bin/sh
set -e
# git push --force
git commit -m "never git push --force"

deploy() {
  for host in a b; do
    git push \
      --force origin main
  done
}
rm -rf build
cat <<'END'
rm -rf /
END
deploy
