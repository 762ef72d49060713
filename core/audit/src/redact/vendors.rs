//! The forms of tokens that vendors issue, as data: what a token begins with, and what follows.
//!
//! The facts were compared with the rules of gitleaks (<https://github.com/gitleaks/gitleaks>, MIT licence, copyright (c)
//! 2019 Zachary Rice) and with the vendors' documentation. The expressions are this crate's own. A form is listed only if
//! hashes, UUIDs, identifiers and base64 of a file do not have it.

/// Beginnings of tokens that go on with at least 18 letters, digits, `_` or `-`.
pub(super) const BEGINNINGS: &[&str] = &[
    // Docker, Shopify, Supabase.
    "dckr_pat_",
    "dckr_oat_",
    "shpat_",
    "shpca_",
    "shppa_",
    "shpss_",
    "sbp_",
    "sb_secret_",
    // Google, Tailscale, Defined Networking, Heroku, Netlify, Render.
    "GOCSPX-",
    "tskey-",
    "dnkey-",
    "HRKU-",
    "nfp_",
    "rnd_",
    // Figma, Linear, Notion, Contentful, Airtable, Typeform, Readme, Frame.io.
    "figd_",
    "lin_api_",
    "lin_oauth_",
    "ntn_",
    "CFPAT-",
    "tfp_",
    "rdme_",
    "fio-u-",
    // GitLab, beside its personal tokens; Bitbucket.
    "glptt-",
    "gldt-",
    "glrt-",
    "glcbt-",
    "glft-",
    "glimt-",
    "glagent-",
    "gloas-",
    "glsoat-",
    "glffct-",
    "GR1348941",
    "ATBB",
    // Model vendors.
    "gsk_",
    "r8_",
    "xai-",
    "pplx-",
    "nvapi-",
    "api_org_",
    "lsv2_pt_",
    "pcsk_",
    "tvly-",
    // Packages, builds, code search.
    "rubygems_",
    "CLOJARS_",
    "CCIPAT_",
    "bkua_",
    "sgp_",
    // New Relic, Sentry, Grafana, PostHog, SonarQube, Scalingo.
    "NRAK-",
    "NRII-",
    "NRJS-",
    "sntryu_",
    "glsa_",
    "phx_",
    "squ_",
    "sqp_",
    "sqa_",
    "tk-us-",
    // Postman, Prefect, mail and shipping, payments, travel.
    "PMAK-",
    "pnu_",
    "xkeysib-",
    "xsmtpsib-",
    "shippo_live_",
    "shippo_test_",
    "sq0atp-",
    "sq0csp-",
    "FLWSECK-",
    "FLWSECK_TEST-",
    "duffel_live_",
    "duffel_test_",
    "s-s4t2ud-",
    "s-s4t2af-",
];

/// Beginnings of tokens whose rest may also have `.`, `+`, `/` and `=`: at least 20 of all these.
pub(super) const LONG_BEGINNINGS: &[&str] = &[
    // Atlassian, Amazon Bedrock, 1Password, Sentry, Grafana Cloud, PlanetScale, Fly, Vault, Doppler, Dynatrace.
    "ATATT3",
    "ATCTT3",
    "ABSK",
    "bedrock-api-key-",
    "ops_eyJ",
    "sntrys_",
    "glc_",
    "pscale_tkn_",
    "pscale_oauth_",
    "pscale_pw_",
    "fo1_",
    "fm1a_",
    "fm1r_",
    "fm2_",
    "hvb.",
    "dp.pt.",
    "dp.st.",
    "dp.ct.",
    "dp.sa.",
    "dt0c01.",
    "sha256~",
];

/// Regular expressions of the tokens that need more than a beginning to be told from other texts.
pub(super) const SECRETS: &[&str] = &[
    // Databricks, Pulumi, Twilio, Mailgun, Mailchimp, Adobe, Infracost.
    r"(?-u:\b)(?:dapi[a-f0-9]{32}|pul-[a-f0-9]{40}|SK[a-f0-9]{32}|(?:pub)?key-[a-f0-9]{32}|[a-f0-9]{32}-us[0-9]{1,2}|p8e-[A-Za-z0-9]{32}|ico-[A-Za-z0-9]{32})(?-u:\b)",
    // age, 1Password, Octopus Deploy, Alibaba, EasyPost, Artifactory, ClickHouse, SettleMint.
    r"(?-u:\b)(?:AGE-SECRET-KEY-1[A-Z0-9]{50,}|A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}|API-[A-Z0-9]{26}|LTAI[A-Za-z0-9]{20}|EZ[AT]K[A-Za-z0-9]{54}|AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59}|4b1d[A-Za-z0-9]{38}|sm_[aps]at_[A-Za-z0-9]{16})(?-u:\b)",
    // Amazon's further kinds of keys.
    r"(?-u:\b)(?:A3T[A-Z0-9]|ABIA|ACCA)[A-Z2-7]{16}(?-u:\b)",
    // Terraform and MaxMind, whose first letters only name the token.
    r"\.atlasv1\.[A-Za-z0-9_=-]{60,}|_[A-Za-z0-9]{29}_mmk(?-u:\b)",
    // Airtable, Harness, Mapbox, HubSpot, Plaid.
    r"(?-u:\b)(?:pat[A-Za-z0-9]{14}\.[a-f0-9]{64}|[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}|sk\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}|pat-[a-z]{2,3}[0-9]-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}|access-(?:sandbox|development|production)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})",
    // Discord: of bots, and what posts to a channel; Microsoft Teams.
    r"(?-u:\b)[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    r"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]+/(?P<secret>[A-Za-z0-9_-]{40,})",
    r"\.webhook\.office\.com/webhookb2/(?P<secret>[A-Za-z0-9@/-]{60,})",
    // Azure's client secrets.
    r"(?:^|[^A-Za-z0-9_~.-])(?P<secret>[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})",
    // Dropbox, Facebook, Grafana's older keys, Cloudflare, Yandex.
    r"(?-u:\b)(?:sl\.(?:u\.)?[A-Za-z0-9_=-]{100,}|EAA[B-Z][A-Za-z0-9]{90,}|[0-9]{15,16}\|[A-Za-z0-9_-]{27,40}|eyJrIjoi[A-Za-z0-9]{60,}=*|v1\.0-[a-f0-9]{24}-[a-f0-9]{146}|AQVN[A-Za-z0-9_-]{35,38}|t1\.[A-Za-z0-9_-]+=*\.[A-Za-z0-9_-]{86}=*)",
    // crates.io, NuGet, Vercel, Resend, Neon, Firecrawl, E2B, Cerebras, Fireworks, 1Password's other tokens.
    r"(?-u:\b)(?:cio[A-Za-z0-9]{32}|oy2[a-z0-9]{43}|vc[aikpr]_[A-Za-z0-9]{24,}|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}|napi_[a-z0-9]{40,}|npg_[A-Za-z0-9]{12}|fc-[a-f0-9]{32}|e2b_[a-f0-9]{40}|csk-[a-z0-9]{40,}|fw_[A-Za-z0-9]{22,}|ops_[A-Za-z0-9]{60,})(?-u:\b)",
    // Infisical, Google's refresh tokens.
    r"(?-u:\b)st\.[a-f0-9-]{24,36}\.[a-f0-9]{32}(?:\.[a-f0-9]{32})?(?-u:\b)|(?-u:\b)1//0[A-Za-z0-9_-]{40,}",
    // Notion's older tokens.
    r"(?-u:\b)secret_[A-Za-z0-9]{43}(?-u:\b)",
    // A password of a source of packages for NuGet.
    r#"(?i)<add\s+key="(?:cleartext)?password"\s+value="(?P<secret>[^"]+)""#,
];
