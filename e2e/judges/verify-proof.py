#!/usr/bin/env python3
"""Verifies a proof file of Polyhistor by docs/proof.md alone: Python's standard library and the openssl command."""
import base64, hashlib, json, os, re, struct, subprocess, sys, tempfile

def sha256(data): return hashlib.sha256(data).digest()
def node(left, right): return sha256(b'\x01' + left + right)

def root_of_path(leaf, index, size, path):  # RFC 9162 2.1.3.2
    assert 0 <= index < size, 'an index outside of its tree'
    own, last, root = index, size - 1, leaf
    for sibling in path:
        assert last > 0, 'a path too long'
        if own % 2 == 1 or own == last:
            root = node(sibling, root)
            while own % 2 == 0 and own > 0:
                own, last = own // 2, last // 2
        else:
            root = node(root, sibling)
        own, last = own // 2, last // 2
    assert last == 0, 'a path too short'
    return root

def check_signature(key, message, signature):
    der = bytes.fromhex('302a300506032b6570032100') + key
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (('key', der), ('message', message), ('signature', signature)):
            with open(os.path.join(folder, name), 'wb') as file: file.write(data)
        run = subprocess.run(['openssl', 'pkeyutl', '-verify', '-pubin', '-keyform', 'DER', '-inkey', 'key', '-rawin',
                              '-in', 'message', '-sigfile', 'signature'], cwd=folder, capture_output=True)
        assert run.returncode == 0, 'a signature that does not hold'

def check_head(key, head):
    message = b'polyhistor log head 1\n' + struct.pack('>QQ', head['size'], head['signedAt']) + bytes.fromhex(head['root'])
    check_signature(key, message, bytes.fromhex(head['signature']))

def check_signed(statement, signed):
    leaf = sha256(b'\x00' + statement.encode())
    root = root_of_path(leaf, signed['index'], signed['count'], [bytes.fromhex(one) for one in signed['path']])
    message = b'polyhistor captures 1\n' + struct.pack('>QI', signed['signedAt'], signed['count']) + root
    check_signature(bytes.fromhex(signed['key']), message, bytes.fromhex(signed['signature']))
    return leaf

def check_look(look):  # its signature is as in a WARC record
    field = base64.urlsafe_b64decode(look['signature'] + '=' * (-len(look['signature']) % 4))
    path = [field[at:at + 32].hex() for at in range(42, len(field) - 64, 32)]
    signed = {'key': field[2:34].hex(), 'signedAt': int.from_bytes(field[34:40], 'big'), 'count': field[40], 'index': field[41],
              'path': path, 'signature': field[-64:].hex()}
    assert field[0] == 1 and field[1] == 0 and look['url'] == url, 'a look at something else'
    certificate = 'sha256:' + look['certificate'] if look['certificate'] else '-'
    check_signed(f"polyhistor capture 1\nurl {look['url']}\ntime {look['time']}\nhead {look['head']}\npayload {look['payload'] or '-'}\n"
                 f"address {look['address'] or '-'}\ncertificate {certificate}\ncaptured by ed25519:{signed['key']}\n", signed)
    assert signed['key'] != key_hex, 'a look by who captured it'
    assert look['verdict'] != 'same' or look['payload'] == f'sha256:{payload_digest}', 'the same that is not the same'
    return signed['key']

proof = json.load(open(sys.argv[1]))
assert proof['format'] == 'polyhistor-proof' and proof['version'] == 1
pattern = (r'polyhistor capture 1\nurl (\S+)\ntime (\S+)\nhead sha256:(\w{64})\npayload (?:sha256:(\w{64})|-)\naddress \S+\n'
           r'certificate \S+\n(captured|imported) by ed25519:(\w{64})\n')
fields = re.fullmatch(pattern, proof['statement'])
assert fields, 'a statement that is none'
url, time, head_digest, payload_digest, how, key_hex = fields.groups()
signed, key = proof['signature'], bytes.fromhex(key_hex)
assert signed['key'] == key_hex, 'a key that the statement does not name'
assert sha256(base64.b64decode(proof['head'])).hex() == head_digest, 'another head'
if proof['payload'] is not None and payload_digest:
    assert sha256(base64.b64decode(proof['payload'])).hex() == payload_digest, 'another payload'
leaf = check_signed(proof['statement'], signed)
log = proof['log']
if log is not None:
    root = root_of_path(leaf, log['index'], log['head']['size'], [bytes.fromhex(one) for one in log['path']])
    assert root.hex() == log['head']['root'], 'an entry that is not in the log'
    check_head(key, log['head'])
    if log['before'] is not None:
        assert log['before']['size'] <= log['index'], 'an entry that was there before'
        check_head(key, log['before'])
print(f'{url} {how} {time} by {key_hex}')
seen = proof.get('seen')
if seen is not None:
    account = re.fullmatch(pattern, seen['statement'])
    assert account and account[6] == seen['signature']['key'] == key_hex and account[2] == time, 'an account by another, or of another time'
    assert account[1].startswith(url) and account[1].endswith('__wb_method=VIEW&corroboration'), 'an account of another page'
    payload = base64.b64decode(seen['payload'])
    assert sha256(payload).hex() == account[4], 'another account'
    check_signed(seen['statement'], seen['signature'])
    for look in json.loads(payload)['looks']:
        print(f"{look['verdict']} {look['time']} by {check_look(look)}")
