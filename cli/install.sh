#!/bin/sh
# Installs the hookweave command: a program of one file, without Rust, Python or Node.
#
#   curl -LsSf https://github.com/hookweave/hookweave/releases/latest/download/install.sh | sh
#
# HOOKWEAVE_VERSION  the version, instead of the latest one
# HOOKWEAVE_BIN      the folder it is put into, instead of ~/.local/bin
# HOOKWEAVE_RELEASES where releases are, instead of GitHub: a mirror
#
# What was downloaded has the checksum that the release names, or nothing is installed. No file beside the program changes.
set -eu

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

has() { command -v "$1" > /dev/null 2>&1; }

# fetch URL FILE
fetch() {
    if has curl; then
        curl --fail --silent --show-error --location --proto "$PROTOCOLS" --output "$2" "$1"
    elif has wget; then
        wget --quiet --output-document="$2" "$1"
    else
        fail "neither curl nor wget is there; install one of them"
    fi || fail "$1 cannot be downloaded; see what is said above"
}

checksum_of() {
    if has sha256sum; then
        sha256sum < "$1"
    elif has shasum; then
        shasum -a 256 < "$1"
    else
        fail "neither sha256sum nor shasum is there, so that the download cannot be checked; install one of them"
    fi | cut -d ' ' -f 1
}

target() {
    case "$(uname -s) $(uname -m)" in
        # One static program for every libc.
        "Linux x86_64") echo x86_64-unknown-linux-musl ;;
        "Linux aarch64" | "Linux arm64") echo aarch64-unknown-linux-musl ;;
        "Darwin x86_64") echo x86_64-apple-darwin ;;
        "Darwin arm64") echo aarch64-apple-darwin ;;
        *) fail "there is no program for $(uname -s) on $(uname -m); with Rust: cargo install hookweave-cli" ;;
    esac
}

# All of it is read before any of it runs, so that half a download does nothing.
main() {
    releases=${HOOKWEAVE_RELEASES:-https://github.com/hookweave/hookweave/releases}
    folder=${HOOKWEAVE_BIN:-${HOME:?"is not set; name a folder with HOOKWEAVE_BIN"}/.local/bin}
    case "$releases" in
        https://*) PROTOCOLS="=https" ;;
        http://127.0.0.1:* | http://localhost:*) PROTOCOLS="=http" ;;
        *) fail "HOOKWEAVE_RELEASES is $releases; it must begin with https://" ;;
    esac
    target=$(target)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM

    case "${HOOKWEAVE_VERSION:-}" in
        "") fetch "$releases/latest/download/SHA256SUMS" "$work/sums" ;;
        *[!0-9A-Za-z.-]*) fail "HOOKWEAVE_VERSION is no version: $HOOKWEAVE_VERSION" ;;
        *) fetch "$releases/download/v${HOOKWEAVE_VERSION#v}/SHA256SUMS" "$work/sums" ;;
    esac
    # A line is `CHECKSUM  hookweave-VERSION-TARGET.tar.gz`.
    line=$(grep -E "^[0-9a-f]{64}  hookweave-[0-9A-Za-z.-]+-$target\\.tar\\.gz\$" "$work/sums") ||
        fail "that release has no program for $target; see $releases"
    [ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || fail "that release names several programs for $target; see $releases"
    archive=${line#*  }
    version=${archive#hookweave-}
    version=${version%-"$target".tar.gz}

    fetch "$releases/download/v$version/$archive" "$work/$archive"
    sum=$(checksum_of "$work/$archive")
    [ "$sum" = "${line%% *}" ] ||
        fail "$archive is not what the release has: its checksum is ${sum:-unknown} and not ${line%% *}; nothing is installed"
    tar -xzf "$work/$archive" -C "$work" hookweave
    says=$("$work/hookweave" --version) || fail "hookweave $version does not run here; nothing is installed"
    [ "$says" = "hookweave $version" ] || fail "the program of $archive says that it is $says; nothing is installed"

    mkdir -p "$folder" || fail "$folder cannot be made; name another folder with HOOKWEAVE_BIN"
    # Beside its place and then into it, at once: agents may be starting the old one.
    cp "$work/hookweave" "$folder/.hookweave.$$" || fail "$folder cannot be written; name another with HOOKWEAVE_BIN"
    mv -f "$folder/.hookweave.$$" "$folder/hookweave"
    echo "hookweave $version is in $folder"
    case ":${PATH:-}:" in
        *":$folder:"*) echo "next: hookweave init" ;;
        *) echo "that folder is not in PATH; next: $folder/hookweave init" ;;
    esac
}

main
