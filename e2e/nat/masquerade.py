# The rules of a router (see router-world.ts) for machines that have no `nft`: the same as bytes to the kernel, by netlink.
# Run within the router's namespace: python3 masquerade.py

import socket
import struct

NFTABLES = 10
REGISTER = 1


def attribute(kind, value):
    data = struct.pack('=HH', 4 + len(value), kind) + value
    return data + b'\0' * (-len(data) % 4)


def nested(kind, *values):
    return attribute(kind | 0x8000, b''.join(values))


def number(kind, value):
    return attribute(kind, struct.pack('>I', value))


def text(kind, value):
    return attribute(kind, value.encode() + b'\0')


def expression(name, *data):
    return nested(1, text(1, name), nested(2, *data))


def interface(key):  # The name of the outer interface, padded as the kernel compares it.
    name = b'ext'.ljust(16, b'\0')
    compared = expression('cmp', number(1, REGISTER), number(2, 0), nested(3, attribute(1, name)))
    return expression('meta', number(1, REGISTER), number(2, key)) + compared


def is_new():  # ct state new
    mask, none = struct.pack('=I', 8), struct.pack('=I', 0)
    state = expression('ct', number(1, REGISTER), number(2, 0))
    bits = [number(1, REGISTER), number(2, REGISTER), number(3, 4), nested(4, attribute(1, mask)), nested(5, attribute(1, none))]
    compared = expression('cmp', number(1, REGISTER), number(2, 1), nested(3, attribute(1, none)))
    return state + expression('bitwise', *bits) + compared


def drop():
    return expression('immediate', number(1, 0), nested(2, nested(2, number(1, 0))))


messages = []


def message(kind, flags, family, resource, body=b''):
    sequence = len(messages)
    data = struct.pack('>BBH', family, 0, resource) + body
    messages.append(struct.pack('=IHHII', 16 + len(data), kind, flags, sequence, 0) + data)


def add(kind, *body):
    message(NFTABLES << 8 | kind, 0x1 | 0x4 | 0x400, socket.AF_INET, 0, b''.join(body))


def chain(table, name, kind, hook, priority, rule):
    hooked = nested(4, number(1, hook), number(2, priority))
    add(3, text(1, table), text(3, name), hooked, text(7, kind))
    add(6, text(1, table), text(2, name), nested(4, rule))


message(0x10, 0x1, 0, NFTABLES)
add(0, text(1, 'nat'))
chain('nat', 'post', 'nat', 4, 100, interface(7) + expression('masq'))
add(0, text(1, 'filter'))
chain('filter', 'input', 'filter', 1, 0, interface(6) + is_new() + drop())
chain('filter', 'forward', 'filter', 2, 0, interface(6) + is_new() + drop())
message(0x11, 0x1, 0, NFTABLES)

kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)
kernel.bind((0, 0))
kernel.settimeout(5)
kernel.send(b''.join(messages))
wanted = len(messages) - 2
while wanted > 0:
    answer = kernel.recv(65536)
    while answer:
        length, kind = struct.unpack_from('=IH', answer)
        if kind == 2:  # An error, or its absence.
            code = struct.unpack_from('=i', answer, 16)[0]
            if code != 0:
                raise OSError(-code, 'the kernel refuses the rules')
            wanted -= 1
        answer = answer[(length + 3) & ~3:]
