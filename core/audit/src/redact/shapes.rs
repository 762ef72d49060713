//! The shapes in which secrets stand in texts, and what only looks like one.
//!
//! No secret is written here, so that no host of this repository takes one for real: `{20:w}` stands for 20 letters that
//! are made up when the test runs.

use std::fmt::Write as _;

use super::Redaction;
use serde_json::Value;

/// A name and a text; what stands for `{…}` must not be seen in the log.
const SECRETS: &[(&str, &str)] = &[
    // Source control.
    ("github personal", "ghp_{36:a}"),
    ("github oauth", "gho_{36:a}"),
    ("github user", "ghu_{36:a}"),
    ("github server", "ghs_{36:a}"),
    ("github refresh", "ghr_{36:a}"),
    ("github fine-grained", "github_pat_{82:a}"),
    ("gitlab personal", "glpat-{20:w}"),
    ("gitlab pipeline trigger", "glptt-{40:h}"),
    ("gitlab deploy", "gldt-{20:w}"),
    ("gitlab runner", "glrt-{20:w}"),
    ("gitlab job", "glcbt-1f_{20:a}"),
    ("gitlab feed", "glft-{20:w}"),
    ("gitlab mail", "glimt-{25:w}"),
    ("gitlab agent", "glagent-{50:w}"),
    ("gitlab oauth", "gloas-{64:h}"),
    ("gitlab scim", "glsoat-{20:w}"),
    ("gitlab feature flags", "glffct-{20:w}"),
    ("gitlab registration", "GR1348941{20:w}"),
    ("bitbucket app password", "ATBB{32:a}"),
    ("sourcegraph", "sgp_{40:h}"),
    // Clouds.
    ("aws access key", "AKIA{16:u}"),
    ("aws temporary key", "ASIA{16:u}"),
    ("aws bedrock", "ABSK{120:b}"),
    ("aws service credential", "ACCA{16:u}"),
    ("aws other", "A3TX{16:u}"),
    ("google api key", "AIza{35:w}"),
    ("google oauth token", "ya29.{60:w}"),
    ("google client secret", "GOCSPX-{28:w}"),
    ("google refresh token", "1//0{100:w}"),
    ("google refresh token in an address", "https://h/x?code=1//0g{60:w}"),
    ("azure client secret", "id x {3:a}8Q~{34:a} y"),
    ("azure storage", "AccountName=x;AccountKey={86:b}==;EndpointSuffix=y"),
    ("azure signature", "https://x.blob.core.windows.net/a?sv=1&sig={40:a}%3D"),
    ("alibaba", "LTAI{20:a}"),
    ("digitalocean personal", "dop_v1_{64:h}"),
    ("digitalocean oauth", "doo_v1_{64:h}"),
    ("digitalocean refresh", "dor_v1_{64:h}"),
    ("heroku", "HRKU-AA{58:w}"),
    ("fly", "fm2_{120:b}"),
    ("fly organisation", "fo1_{43:w}"),
    ("scalingo", "tk-us-{48:w}"),
    ("render", "rnd_{28:a}"),
    ("netlify", "nfp_{36:a}"),
    ("cloudflare origin", "v1.0-{24:h}-{146:h}"),
    ("yandex api key", "AQVN{36:w}"),
    ("yandex token", "t1.{30:w}.{86:w}"),
    ("supabase personal", "sbp_{40:h}"),
    ("supabase secret", "sb_secret_{34:w}"),
    ("vercel personal", "vcp_{56:a}"),
    ("vercel integration", "vci_{56:a}"),
    ("vercel app", "vca_{56:a}"),
    ("vercel refresh", "vcr_{56:a}"),
    ("vercel ai gateway", "vck_{56:a}"),
    ("neon api key", "napi_{64:l}"),
    ("neon password", "npg_{12:a}"),
    ("infisical service", "st.{24:h}.{32:h}.{32:h}"),
    ("infisical newer service", "st.{8:h}-{4:h}-{4:h}-{4:h}-{12:h}.{32:h}.{32:h}"),
    ("planetscale password", "pscale_pw_{43:w}"),
    ("planetscale token", "pscale_tkn_{43:w}"),
    ("terraform", "{6:a}.atlasv1.{67:w}"),
    ("pulumi", "pul-{40:h}"),
    ("vault service", "hvs.{95:w}"),
    ("vault batch", "hvb.{140:w}"),
    ("doppler", "dp.pt.{43:a}"),
    ("tailscale", "tskey-auth-{12:a}-{32:a}"),
    ("defined networking", "dnkey-{26:u}-{52:u}"),
    ("openshift", "sha256~{43:w}"),
    ("docker personal", "dckr_pat_{27:w}"),
    ("docker organisation", "dckr_oat_{32:w}"),
    ("artifactory", "AKCp{69:a}"),
    ("clickhouse", "4b1d{38:a}"),
    ("databricks", "dapi{32:h}"),
    ("octopus", "API-{26:u}"),
    ("harness", "pat.{22:w}.{24:a}.{20:a}"),
    ("prefect", "pnu_{36:a}"),
    ("infracost", "ico-{32:a}"),
    // Models.
    ("openai", "sk-{48:a}"),
    ("openai project", "sk-proj-{100:w}"),
    ("anthropic", "sk-ant-api03-{93:w}AA"),
    ("hugging face", "hf_{34:a}"),
    ("hugging face organisation", "api_org_{34:a}"),
    ("groq", "gsk_{52:a}"),
    ("replicate", "r8_{37:a}"),
    ("xai", "xai-{80:a}"),
    ("perplexity", "pplx-{48:a}"),
    ("nvidia", "nvapi-{64:w}"),
    ("pinecone", "pcsk_{60:a}"),
    ("firecrawl", "fc-{32:h}"),
    ("e2b", "e2b_{40:h}"),
    ("cerebras", "csk-{48:l}"),
    ("fireworks", "fw_{24:a}"),
    // Packages and builds.
    ("npm", "npm_{36:a}"),
    ("pypi", "pypi-{120:w}"),
    ("rubygems", "rubygems_{48:h}"),
    ("clojars", "CLOJARS_{60:h}"),
    ("circleci", "CCIPAT_{22:a}_{40:h}"),
    ("sonarqube", "squ_{40:h}"),
    ("crates.io", "cio{32:a}"),
    ("nuget", "oy2{43:l}"),
    // Watching.
    ("new relic user", "NRAK-{27:u}"),
    ("new relic insert", "NRII-{32:w}"),
    ("new relic browser", "NRJS-{19:h}"),
    ("grafana service account", "glsa_{32:a}_{8:h}"),
    ("grafana cloud", "glc_{80:b}"),
    ("grafana older", "eyJrIjoi{80:a}"),
    ("sentry organisation", "sntrys_{120:b}"),
    ("sentry user", "sntryu_{64:h}"),
    ("dynatrace", "dt0c01.{24:u}.{64:u}"),
    ("posthog", "phx_{43:a}"),
    // Work.
    ("atlassian", "ATATT3{180:w}={8:h}"),
    ("linear", "lin_api_{40:a}"),
    ("notion", "ntn_{46:a}"),
    ("notion older", "secret_{43:a}"),
    ("figma", "figd_{40:w}"),
    ("contentful", "CFPAT-{43:w}"),
    ("airtable", "pat{14:a}.{64:h}"),
    ("postman", "PMAK-{24:h}-{34:h}"),
    ("hubspot", "pat-na1-{8:h}-{4:h}-{4:h}-{4:h}-{12:h}"),
    ("typeform", "tfp_{59:w}"),
    ("readme", "rdme_{70:h}"),
    ("dropbox", "sl.{135:w}"),
    ("slack bot", "xoxb-{12:d}-{12:d}-{24:a}"),
    ("slack app", "xapp-1-A{10:u}-{13:d}-{64:h}"),
    ("slack webhook", "https://hooks.slack.com/services/T{9:u}/B{9:u}/{24:a}"),
    ("discord bot", "MT{24:a}.{6:w}.{38:w}"),
    ("discord webhook", "https://discord.com/api/webhooks/1234/{68:w}"),
    ("teams webhook", "https://x.webhook.office.com/webhookb2/{80:h}"),
    ("telegram", "{9:d}:AA{33:w}"),
    ("facebook user", "EAAB{150:a}"),
    ("facebook app", "{16:d}|{27:w}"),
    // Money, mail, goods.
    ("stripe", "sk_live_{24:a}"),
    ("stripe restricted", "rk_live_{24:a}"),
    ("stripe webhook", "whsec_{32:a}"),
    ("shopify", "shpat_{32:h}"),
    ("shopify custom", "shpca_{32:h}"),
    ("shopify shared", "shpss_{32:h}"),
    ("square", "sq0atp-{22:w}"),
    ("flutterwave", "FLWSECK_TEST-{32:h}-X"),
    ("plaid", "access-production-{8:h}-{4:h}-{4:h}-{4:h}-{12:h}"),
    ("easypost", "EZAK{54:a}"),
    ("duffel", "duffel_live_{43:w}"),
    ("twilio", "SK{32:h}"),
    ("sendgrid", "SG.{22:w}.{43:w}"),
    ("mailgun", "key-{32:h}"),
    ("mailchimp", "{32:h}-us12"),
    ("resend", "re_{8:a}_{24:a}"),
    ("brevo", "xkeysib-{64:h}-{16:a}"),
    ("adobe", "p8e-{32:a}"),
    ("maxmind", "{6:a}_{29:a}_mmk"),
    // Keys.
    ("age", "AGE-SECRET-KEY-1{58:u}"),
    ("1password", "ops_eyJ{260:a}"),
    ("1password of another form", "ops_{120:a}"),
    ("pem", "-----BEGIN OPENSSH PRIVATE KEY-----\n{64:b}\n{64:b}\n-----END OPENSSH PRIVATE KEY-----"),
    ("putty", "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n{64:b}\n{64:b}\nPrivate-MAC: 12"),
    ("json web token", "eyJhbGciOiJIUzI1NiJ9.{40:a}.{43:w}"),
    // Settings, headers, commands.
    ("npmrc", "//registry.npmjs.org/:_auth={24:b}"),
    ("npmrc token", "//registry.npmjs.org/:_authToken={24:a}"),
    ("aws configure", "aws configure set aws_secret_access_key {40:a} --profile x"),
    ("git config", "git config --global github.token {20:a}"),
    ("yaml block", "db:\n  password: |\n    {20:a}\n    {20:a}\n  user: u"),
    ("environment", "export DB_PASSWORD={12:a}"),
    ("header", "Authorization: Bearer {24:a}"),
    ("address", "postgres://u:{12:a}@h/db"),
    ("gh secret", "gh secret set NAME --body {20:a}"),
    ("gh secret in short", "gh secret set NAME -R owner/name -b '{20:a}'"),
    ("gh secret with a sign", "gh secret set --body={20:a} NAME"),
    ("pgpass", "localhost:5432:db:u:{12:a}"),
    ("pgpass for all", "*:*:*:u:{12:a}"),
    ("pgpass of a socket", "/var/run/postgresql:5433:*:u:{12:a}"),
    ("pgpass after other lines", "# hosts\nh.example:6432:db:u:{12:a}\n"),
    ("kubernetes variable", "env:\n  - name: DB_PASSWORD\n    value: {12:a}\n  - name: USER\n    value: u"),
    ("kubernetes variable in quotes", "- name: 'API_KEY'\n  value: \"{12:a}\""),
    ("variable as JSON", "[\"name\": \"API_TOKEN\", \"value\": \"{12:a}\"]"),
    ("variable as JSON in JSON", "[\\\"name\\\":\\\"API_TOKEN\\\",\\\"value\\\":\\\"{12:a}\\\"]"),
    ("behind a file", "--token-file x --token {12:a}"),
    ("behind a count", "max_tokens=4096 token={12:a}"),
    ("a number of digits", "token: {18:d}"),
    ("mysql in an error", "Error: Command failed: mysql -u root -p{10:a} -e 'select 1'"),
    ("mysql in quotes", "the command 'mysqldump -p{10:a} db' ended with 1"),
];

/// What must stay as it is.
const ORDINARY: &[&str] = &[
    // Hashes and ids.
    "{40:h}",
    "commit {40:h} (HEAD -> main)",
    "Merge: {7:h} {7:h}",
    "sha256:{64:h}",
    "{32:h}  a.txt",
    "{64:h}  dist/a.whl",
    "{128:h}",
    "\"integrity\": \"sha512-{86:b}==\"",
    "{8:h}-{4:h}-{4:h}-{4:h}-{12:h}",
    "id={8:h}-{4:h}-{4:h}-{4:h}-{12:h}",
    "\"etag\": \"{32:h}\"",
    "index {7:h}..{7:h} 100644",
    "nginx@sha256:{64:h}",
    "checksum = \"{64:h}\"",
    "h1:{43:b}=",
    "{10:d}.{6:d}",
    "trace {32:h} span {16:h}",
    "arn:aws:iam::{12:d}:role/deploy",
    // Files as base64.
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{3000:b}==",
    "data:font/woff2;base64,d09GMgABAAAAA{3000:b}=",
    "/9j/4AAQSkZJRgABAQAAAQABAAD/{3000:b}",
    "EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    // Words and names that begin as tokens do.
    "git checkout pul-request-template-for-the-new-people",
    "the r8_driver and the figd_x",
    "sl.configure(handlers)",
    "API-DESIGN and API-KEYS-OVERVIEW",
    "see docs/key-concepts-of-the-registry.md",
    "SKIPPED 32 tests",
    "MNO.abc.def",
    "config token expired",
    "npm config get registry",
    "kubectl config set-context dev",
    "script: |\n  make\n  make test",
    "description: >-\n  a text\n  of lines",
    "Private-Lines are counted",
    "the module _auth is private",
    "use mysql -p here",
    "https://discord.com/channels/{18:d}/{18:d}",
    "citation, cion and cio for the officer",
    "re_compiled_patterns and fw_update_the_configuration_now",
    "ops_that_are_done_for_the_people_of_the_registry_of_names",
    "napi_get_named_property and napi_create_string_utf8",
    "the price is 1//0 of it",
    "fc-match and fc-list",
    "core/files/src/config.rs:5432: let x = a::b::c",
    "cpe:2.3:a:vendor:product:1.0:*:*:*:*:*",
    "a.py:12:5:E501:x",
    "gh secret list --repo owner/name",
    "gh pr create --body text-of-the-request",
    "- name: USER\n  value: alice",
    "- name: MAX_TOKENS\n  value: \"4096\"",
    "- name: secret-volume\n  mountPath: /x",
    // Counts, and files that hold a secret.
    "max_tokens: 4096",
    "max_tokens=4_096",
    "\"maxTokens\": 4096, \"temperature\": 1",
    "total_tokens => 12",
    "token_count=512",
    "token-limit: '8k'",
    "--max-tokens 4096",
    "<max_tokens>4096</max_tokens>",
    "--token-file x",
    "--password-file /run/secrets/db",
    "POSTGRES_PASSWORD_FILE=/run/secrets/db",
    "token_path: '/var/run/token'",
    "[\"run\", \"--token-file\", \"x\"]",
];

/// A text with made-up letters in place of `{20:w}`, and those of at least eight.
fn filled(template: &str) -> (String, Vec<String>) {
    let (mut text, mut made) = (String::new(), Vec::new());
    let mut state = template.bytes().fold(0x9e37_79b9_u32, |sum, byte| sum.rotate_left(5) ^ u32::from(byte));
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        let (count, behind) = behind.split_once(':').unwrap();
        let (class, behind) = behind.split_once('}').unwrap();
        let letters = match class {
            "h" => "0123456789abcdef",
            "d" => "123456789",
            "u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "l" => "abcdefghijklmnopqrstuvwxyz0123456789",
            "a" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "w" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
            "b" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            _ => panic!("{template}: no class `{class}`"),
        };
        let mut letter = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            char::from(letters.as_bytes()[state as usize % letters.len()])
        };
        let letters: String = (0..count.parse().unwrap()).map(|_| letter()).collect();
        write!(text, "{before}{letters}").unwrap();
        made.push(letters);
        rest = behind;
    }
    text.push_str(rest);
    (text, made.into_iter().filter(|letters| letters.len() >= 8).collect())
}

fn redacted(text: &str) -> String {
    let mut value = Value::from(text);
    Redaction::default().apply(&mut value).unwrap();
    value.as_str().unwrap().to_owned()
}

#[test]
fn secrets_of_every_shape_are_redacted() {
    assert_eq!(SECRETS.len(), 179);
    let mut seen = Vec::new();
    for (name, template) in SECRETS {
        let (text, made) = filled(template);
        for text in [text.clone(), format!("use {text} now"), format!("{{\"x\": \"{text}\"}}"), format!("x='{text}'")] {
            let clean = redacted(&text);
            if made.iter().any(|letters| clean.contains(letters.as_str())) || !clean.contains("[redacted]") {
                seen.push(format!("{name}: {text} -> {clean}"));
            }
        }
    }
    assert!(seen.is_empty(), "{} texts:\n{}", seen.len(), seen.join("\n"));
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let changed: Vec<_> = ORDINARY
        .iter()
        .map(|template| filled(template).0)
        .filter_map(|text| {
            Some(redacted(&text)).filter(|clean| *clean != text).map(|clean| format!("{text} -> {clean}"))
        })
        .collect();
    assert!(changed.is_empty(), "{} texts:\n{}", changed.len(), changed.join("\n"));
}
