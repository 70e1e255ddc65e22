"""Tokens of services: one row a format, a fixed prefix and what follows it. Data for ``secretformats``.

Source: each service's own documentation of its token format; lengths are given some room, since they grow.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from typing import Final

from libra.text.literals import matches, places

_AN: Final = "[A-Za-z0-9]"
_URL: Final = "[A-Za-z0-9_-]"
_B64: Final = "[A-Za-z0-9+/=]"
_HEX: Final = "[a-fA-F0-9]"

TOKENS: Final[tuple[tuple[str, str, str], ...]] = (
    ("hugging face", "hf_", f"{_AN}{{30,60}}"),
    ("hugging face organisation", "api_org_", f"{_AN}{{30,60}}"),
    ("npm", "npm_", f"{_AN}{{36}}"),
    ("pypi", "pypi-", f"{_URL}{{50,250}}"),
    ("digital ocean", "(?:doo_v1_|dop_v1_|dor_v1_)", f"{_HEX}{{64}}"),
    ("sendgrid", r"SG\.", rf"{_URL}{{16,32}}\.{_URL}{{32,64}}"),
    ("shopify", "shp(?:at|ss|ca|pa)_", f"{_HEX}{{32}}"),
    ("linear", "lin_(?:api|oauth)_", f"{_AN}{{32,64}}"),
    ("grafana cloud", "glc_", f"{_B64}{{32,400}}"),
    ("grafana service account", "glsa_", f"{_AN}{{32}}_{_HEX}{{8}}"),
    ("replicate", "r8_", f"{_AN}{{30,50}}"),
    ("docker", "dckr_(?:pat|oat)_", f"{_URL}{{20,64}}"),
    ("tailscale", "tskey-", "[a-z]{2,10}-[A-Za-z0-9-]{16,80}"),
    ("groq", "gsk_", f"{_AN}{{40,64}}"),
    ("xai", "xai-", f"{_AN}{{60,100}}"),
    ("perplexity", "pplx-", f"{_AN}{{40,64}}"),
    ("nvidia", "nvapi-", f"{_URL}{{50,90}}"),
    ("sentry", "sntry[su]_", "[A-Za-z0-9+/=_]{40,400}"),
    ("figma", "figd_", f"{_URL}{{36,64}}"),
    ("supabase", "sbp_", f"{_HEX}{{40}}"),
    ("supabase key", "sb_secret_", f"{_URL}{{22,64}}"),
    ("rubygems", "rubygems_", f"{_HEX}{{48}}"),
    ("age", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}"),
    ("vercel", "vercel_", f"{_AN}{{24,64}}"),
    ("vercel blob", "vercel_blob_rw_", f"{_AN}{{16,24}}_{_AN}{{24,40}}"),
    ("postman", "PMAK-", f"{_HEX}{{24}}-{_HEX}{{34}}"),
    ("new relic", "NR(?:AK|II|RA|JS|BR)-", f"{_AN}{{19,42}}"),
    ("vault", r"(?:hvs\.|hvb\.|hvr\.)", f"{_URL}{{24,200}}"),
    ("terraform", r"[A-Za-z0-9]{14}\.atlasv1\.", f"{_URL}{{60,70}}"),
    ("atlassian", "ATATT3", "[A-Za-z0-9_=-]{40,250}"),
    ("bitbucket", "ATBB", f"{_AN}{{28,40}}"),
    ("databricks", "dapi", f"{_HEX}{{32}}(?:-\\d)?"),
    ("notion", "ntn_", f"{_AN}{{40,60}}"),
    ("notion before 2024", "secret_", f"{_AN}{{43}}"),
    ("doppler", r"dp\.(?:pt|st|ct|scim|audit)\.", "[A-Za-z0-9._-]{40,80}"),
    ("pulumi", "pul-", f"{_HEX}{{40}}"),
    ("planetscale", "pscale_(?:tkn|pw|oauth)_", "[A-Za-z0-9=._-]{32,64}"),
    ("airtable", r"pat[A-Za-z0-9]{14}\.", f"{_HEX}{{64}}"),
    ("circleci", "CCI(?:PAT|PRJ)_", "[A-Za-z0-9_]{20,100}"),
    ("contentful", "CFPAT-", f"{_URL}{{43}}"),
    ("netlify", "nfp_", f"{_AN}{{36,44}}"),
    ("fly", "(?:fo1_|fm[12][ar]?_|FlyV1 fm2_)", "[A-Za-z0-9+/=,_-]{40,1200}"),
    ("heroku", "HRKU-", f"{_URL}{{36,64}}"),
    ("brevo", "xkeysib-", f"{_HEX}{{64}}-{_AN}{{16}}"),
    ("mailgun", "key-", f"{_HEX}{{32}}"),
    ("mailchimp", f"{_HEX}{{32}}-us", r"\d{1,2}"),
    ("twilio", "(?:SK|AC)", "[a-f0-9]{32}"),
    ("square", "(?:sq0(?:atp|csp|idp)-|EAAA)", f"{_URL}{{22,64}}"),
    ("prefect", "pn[ub]_", f"{_AN}{{36}}"),
    ("typeform", "tfp_", "[A-Za-z0-9_.-]{40,64}"),
    ("sourcegraph", "sgp_", "(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}"),
    ("langsmith", "lsv2_(?:pt|sk)_", f"{_HEX}{{32}}_{_HEX}{{10}}"),
    ("tavily", "tvly-", "[A-Za-z0-9-]{20,64}"),
    ("readme", "rdme_", "[a-z0-9]{70}"),
    ("easypost", "EZ[AT]K", f"{_AN}{{54}}"),
    ("frame.io", "fio-u-", f"{_URL}{{64}}"),
    ("flutterwave", "FLWSECK(?:_TEST)?-", f"{_AN}{{12,64}}"),
    ("dynatrace", r"dt0[a-z]\d\d\.", r"[A-Z2-7]{24}\.[A-Z2-7]{64}"),
    ("artifactory", "AKCp", f"{_AN}{{60,80}}"),
    ("1password", "ops_eyJ", f"{_B64}{{100,2000}}"),
    ("wakatime", "waka_", "[a-f0-9-]{36}"),
    ("buildkite", "bk(?:ua|aj|ct|pt)_", f"{_HEX}{{40}}"),
    ("scalingo", "tk-us-", f"{_URL}{{48}}"),
    ("google refresh", "1//0", f"{_URL}{{40,120}}"),
    ("dropbox", r"sl\.", f"{_URL}{{130,1200}}"),
    ("facebook", "EAA[A-Z]", f"{_AN}{{80,400}}"),
    ("twitter", "A{20}", "[A-Za-z0-9%]{60,200}"),
    ("yandex", "(?:y0_|y1_|y2_|y3_|y4_|y5_|y6_|AQVN)", f"{_URL}{{35,71}}"),
    ("azure devops", f"{_AN}{{52,76}}AZDO", f"{_AN}{{4}}"),
    ("azure client", rf"{_URL}{{3}}\dQ~", "[A-Za-z0-9_~.-]{31,34}"),
    ("discord bot", rf"[MNO]{_URL}{{23,27}}\.", rf"{_URL}{{6}}\.{_URL}{{27,40}}"),
    ("gitlab others", "(?:gloas-|glimt-|glffct-|glrtr-|glwt-)", f"{_URL}{{20,128}}"),
    ("gitlab routable", "(?:glpat-|glrt-|glcbt-|glptt-)", f"{_URL}{{20,300}}\\.[0-9a-z]{{2}}\\.[0-9a-zA-Z]{{7,9}}"),
    ("vercel 2026", "(?:vcp_|vci_|vca_|vcr_|vck_)", f"{_AN}{{40,80}}"),
    ("bedrock", "(?:ABSK|bedrock-api-key-)", f"{_B64}{{100,1200}}"),
    ("gemini 2025", r"AQ\.", f"{_URL}{{40,80}}"),
    ("pinecone", "pcsk_", f"{_AN}{{4,8}}_{_AN}{{50,70}}"),
    ("firecrawl", "fc-", f"{_HEX}{{32}}"),
    ("resend", "re_", f"{_AN}{{8}}_{_AN}{{20,32}}"),
    ("together", "tgp_v1_", f"{_URL}{{40,50}}"),
    ("fireworks", "fw_", f"{_AN}{{22,24}}"),
    ("cerebras", "csk-", f"{_AN}{{40,64}}"),
    ("elevenlabs", "sk_", f"{_HEX}{{48}}"),
    ("jina", "jina_", f"{_HEX}{{32}}{_URL}{{24,32}}"),
    ("llama cloud", "llx-", f"{_AN}{{40,64}}"),
    ("posthog", "phx_", f"{_AN}{{40,56}}"),
    ("neon", "napi_", f"{_AN}{{60,68}}"),
    ("render", "rnd_", f"{_AN}{{28,40}}"),
    ("deno deploy", "(?:ddp_|ddo_)", f"{_AN}{{36}}"),
    ("sonarqube", "(?:squ_|sqp_|sqa_)", f"{_HEX}{{40}}"),
    ("honeycomb", "(?:hcaik_|hcxik_)", "[a-zA-Z0-9]{58}"),
    ("axiom", "(?:xaat-|xapt-)", f"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"),
    ("logfire", "pylf_v1_(?:us|eu)_", f"{_AN}{{40,50}}"),
    ("runpod", "rpa_", "[A-Za-z0-9]{40,60}"),
    ("e2b", "e2b_", f"{_HEX}{{40}}"),
    ("mem0", "m0-", f"{_AN}{{40}}"),
    ("mapbox", r"sk\.eyJ", rf"{_URL}{{50,300}}\.{_URL}{{20,30}}"),
    ("clickup", r"pk_\d{6,10}_", "[A-Z0-9]{32}"),
    ("trello", "ATTA", f"{_HEX}{{64,72}}"),
    ("plaid", "access-(?:production|development|sandbox)-", f"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"),
    ("adafruit", "aio_", f"{_AN}{{28}}"),
    ("mailersend", r"mlsn\.", f"{_HEX}{{64}}"),
    ("asana", r"2/\d{10,18}/\d{10,18}:", f"{_HEX}{{32}}"),
    ("duffel", "duffel_(?:live|test)_", f"{_URL}{{43}}"),
    ("shippo", "shippo_(?:live|test)_", f"{_HEX}{{40}}"),
    ("octopus", "API-", "[A-Z0-9]{26}"),
    ("zuplo", "zpka_", f"{_AN}{{32}}_{_HEX}{{8}}"),
    ("polar", "polar_(?:oat|pat|at)_", f"{_URL}{{32,64}}"),
    ("tinybird", r"p\.eyJ", rf"{_URL}{{50,300}}\.{_URL}{{40,50}}"),
    ("databricks oauth", "dose", f"{_HEX}{{32}}"),
    ("hugging face oauth", "hf_oauth_eyJ", "[A-Za-z0-9_.-]{40,2000}"),
    ("cloudflare", "v1\\.0-", f"{_HEX}{{24}}-{_HEX}{{146}}"),
)  # fmt: skip

SERVICE_TOKEN: Final = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    + "|".join(f"(?:{prefix}){body}" for _, prefix, body in TOKENS)
    + r")(?![A-Za-z0-9_])"
)
_LITERAL: Final = re.compile(r"(?:[\w/-](?![{?*+])|\\\.)+")


def _beginnings() -> tuple[str, ...]:
    """Return the fixed characters that each prefix begins with; those of ``_late_starts`` have none."""
    found: dict[str, None] = {}
    for _, prefix, _ in TOKENS:
        whole = prefix.startswith("(?:") and prefix.endswith(")")
        for choice in prefix[3:-1].split("|") if whole else (prefix,):
            literal = _LITERAL.match(choice)
            if literal and prefix[0] != "[":
                found.setdefault(literal.group().replace("\\", ""), None)
    return tuple(found)


_BEGINNINGS: Final = _beginnings()
_LATE: Final = ((".atlasv1.", 14), ("-us", 32), ("Q~", 4))
"""What stands so many characters behind the start of a token."""
_FIRST_AS: Final = re.compile(r"A(?<![A-Za-z0-9_].)A{19}")
_BOT: Final = re.compile(r"[MNO](?<![A-Za-z0-9_].)[A-Za-z0-9_-]{23,27}\.")
_ALNUM: Final = string.ascii_letters + string.digits
_RUN_CHARS: Final = 80


def service_tokens(text: str) -> Iterator[re.Match[str]]:
    """Yield the tokens of services in ``text``: the long pattern is tried only where one may begin."""
    starts = set(places(text, _BEGINNINGS))
    for word, back in _LATE:
        starts.update(places(text, (word,), back=back))
    for at in places(text, ("AZDO",)):
        run = text[max(at - _RUN_CHARS, 0) : at]
        starts.add(at - len(run) + len(run.rstrip(_ALNUM)))
    for late in (_FIRST_AS, _BOT):
        starts.update(match.start() for match in late.finditer(text))
    return matches(SERVICE_TOKEN, text, sorted(starts))
