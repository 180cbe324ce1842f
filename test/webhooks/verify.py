"""Verifies Quarry's signatures from the reference page alone (resources/reference/webhooks.md), with nothing but
Python's own library. Reads one JSON object per line, {secret, payload?, body, headers, now}, and answers each with
{signedText, payloadText, signature, standard}: what it computed, and whether it agrees with what was sent."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import sys

ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def canonical_string(text):
    return '"' + "".join(ESCAPES.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def canonical_number(number):
    """A double as ECMAScript prints it (ECMA-262, Number::toString)."""
    value = float(number)
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = point - 1
    tail = "." + digits[1:] if count > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if power > 0 else '-'}{abs(power)}"


def canonical(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return canonical_number(value)
    if isinstance(value, str):
        return canonical_string(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(canonical_string(name) + ":" + canonical(value[name]) for name in names) + "}"


def payload_signature(secret, text):
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def standard_key(secret):
    encoded = secret[6:] if secret.startswith("whsec_") else ""
    if len(encoded) >= 2 and re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", encoded):
        try:
            return base64.b64decode(encoded.rstrip("=") + "=" * (-len(encoded.rstrip("=")) % 4), validate=True)
        except binascii.Error:
            pass
    return secret.encode()


def standard_signature(secret, headers, body):
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}"
    return "v1," + base64.b64encode(hmac.new(standard_key(secret), text.encode(), hashlib.sha256).digest()).decode()


def verify(case):
    received = json.loads(case["body"])
    field = received.pop("signature")
    text = canonical(received)
    expected = payload_signature(case["secret"], text)
    agrees = hmac.compare_digest(expected, field)
    agrees = agrees and hmac.compare_digest(expected, case["headers"]["x-service-signature"])
    sent = case["headers"]["webhook-signature"].split(" ")
    standard = standard_signature(case["secret"], case["headers"], case["body"])
    member = list(re.finditer(r'"signature":"[0-9a-f]{64}",|,?"signature":"[0-9a-f]{64}"(?=})', case["body"]))[-1]
    shortcut = case["body"][: member.start()] + case["body"][member.end() :]
    return {
        "signedText": text,
        "payloadText": canonical(json.loads(case["payload"])) if "payload" in case else text,
        "shortcutText": shortcut,
        "signature": agrees,
        "standard": any(hmac.compare_digest(standard, one) for one in sent),
    }


for line in sys.stdin:
    print(json.dumps(verify(json.loads(line))), flush=True)
