#!/usr/bin/env node
// Copies what it reads to seen.json.
const fs = require("node:fs");
fs.writeFileSync("seen.json", fs.readFileSync(0));
