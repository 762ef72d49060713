root=/
# What a variable holds is known in later lines.
rm -rf "$root"
cd build
rm -rf ./*
