# A server of one tool, which says what it was asked for: {"name": "run", "arguments": {"command": "…"}}.
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed 's/.*"id":\([^,}]*\).*/\1/')
    case $line in
        *'"method":"tools/call"'*)
            command=$(printf '%s' "$line" | sed 's/.*"command":\("[^"]*"\).*/\1/')
            printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}\n' "$id" "$command"
            ;;
        *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id" ;;
    esac
done
