#!/usr/bin/env python3
"""Prints SM.txt: pairings of Vol 3, Part H, named after test cases of the Bluetooth SIG (SM.TS).

The PDUs that a lower tester sends and expects are computed here from the specification alone: AES,
CMAC and P-256 below share no code with the tested program. Bytes are in over-the-air order, least
significant first.
"""
import hashlib

# MARK: the toolbox (2.2)


def make_box():
    box, p, q = [0] * 256, 1, 1
    while True:
        p = p ^ (p << 1 & 0xFF) ^ (0x1B if p & 0x80 else 0)
        q ^= q << 1
        q ^= q << 2
        q ^= q << 4
        q &= 0xFF
        if q & 0x80:
            q ^= 0x09
        box[p] = q ^ turn(q, 1) ^ turn(q, 2) ^ turn(q, 3) ^ turn(q, 4) ^ 0x63
        if p == 1:
            box[0] = 0x63
            return box


def turn(x, n):
    return (x << n | x >> 8 - n) & 0xFF


BOX = make_box()


def double(x):
    return x << 1 & 0xFF ^ (0x1B if x & 0x80 else 0)


def aes(key, block):
    """One block of AES-128, most significant byte first."""
    words = [list(key[i:i + 4]) for i in range(0, 16, 4)]
    rc = 1
    for i in range(4, 44):
        word = list(words[-1])
        if i % 4 == 0:
            word = [BOX[x] for x in word[1:] + word[:1]]
            word[0] ^= rc
            rc = double(rc)
        words.append([a ^ b for a, b in zip(word, words[i - 4])])
    keys = [sum(words[i:i + 4], []) for i in range(0, 44, 4)]
    state = [a ^ b for a, b in zip(block, keys[0])]
    for turn_number in range(1, 11):
        state = [BOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if turn_number < 10:
            mixed = []
            for c in range(0, 16, 4):
                a = state[c:c + 4]
                mixed += [double(a[i]) ^ double(a[(i + 1) % 4]) ^ a[(i + 1) % 4] ^ a[(i + 2) % 4] ^ a[(i + 3) % 4]
                          for i in range(4)]
            state = mixed
        state = [a ^ b for a, b in zip(state, keys[turn_number])]
    return bytes(state)


def cmac(key, message):
    def shifted(value):
        number = int.from_bytes(value, 'big') << 1
        return (number & (1 << 128) - 1 ^ (0x87 if number >> 128 else 0)).to_bytes(16, 'big')
    one = shifted(aes(key, bytes(16)))
    two = shifted(one)
    blocks = [message[i:i + 16] for i in range(0, len(message), 16)] or [b'']
    if len(blocks[-1]) == 16:
        blocks[-1] = xor(blocks[-1], one)
    else:
        blocks[-1] = xor((blocks[-1] + b'\x80').ljust(16, b'\0'), two)
    state = bytes(16)
    for block in blocks:
        state = aes(key, xor(state, block))
    return state


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1
BASE = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def added(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if a[1] != b[1]:
            return None
        slope = (3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, PRIME)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, PRIME)
    x = (slope * slope - a[0] - b[0]) % PRIME
    return x, (slope * (a[0] - x) - a[1]) % PRIME


def times(number, point):
    total = None
    while number:
        if number & 1:
            total = added(total, point)
        point = added(point, point)
        number >>= 1
    return total


def r(octets):
    return bytes(reversed(octets))


def f4(u, v, x, z):
    return r(cmac(r(x), r(u) + r(v) + bytes([z])))


def f5(secret, n1, n2, a1, a2):
    key = cmac(bytes.fromhex('6C888391AAF5A53860370BDB5A6083BE'), r(secret))
    rest = b'btle' + r(n1) + r(n2) + a1 + a2 + b'\x01\x00'
    return r(cmac(key, b'\x00' + rest)), r(cmac(key, b'\x01' + rest))


def f6(key, n1, n2, code, features, a1, a2):
    return r(cmac(r(key), r(n1) + r(n2) + r(code) + r(features) + a1 + a2))


def g2(u, v, x, y):
    return int.from_bytes(cmac(r(x), r(u) + r(v) + r(y))[-4:], 'big') % 1000000


def c1(key, random, request, response, kinds, initiator, responder):
    one = r(bytes(kinds) + request + response)
    two = bytes(4) + r(initiator) + r(responder)
    return r(aes(r(key), xor(aes(r(key), xor(r(random), one)), two)))


def s1(key, responder, initiator):
    return r(aes(r(key), r(responder)[8:] + r(initiator)[8:]))


# MARK: the two ends

KINDS = [0, 1]
ADDRESSES = [bytes.fromhex('cebf37371256'), bytes.fromhex('c1cf2d7013c7')]
SEVEN = [bytes([kind]) + r(address) for kind, address in zip(KINDS, ADDRESSES)]
IRK = [bytes([0xA0]) * 16, bytes([0xA1]) * 16]
DISPLAY, YESNO, KEYBOARD, NONE, BOTH = range(5)
WORDS = {DISPLAY: 'displays', YESNO: 'displays confirms', KEYBOARD: 'enters', NONE: '', BOTH: 'displays enters confirms'}
BOND, MITM, SC, KEYPRESS = 1, 4, 8, 16
ENC, ID, SIGN = 1, 2, 4


class Case:
    """One transcript. The program is the initiator if `central`; the tester is the other end."""

    def __init__(self, name, words, central, io=NONE, sc=True, options='', peer_io=NONE, peer_auth=BOND | SC, peer_oob=0,
                 peer_size=16, peer_keys=(3, 3), smallest=16, state=None, given=None, claims=0,
                 offered=None):
        self.name, self.central = name, central
        self.lines = [f'# {name} — {words}']
        self.count = 0
        role = 'central' if central else 'peripheral'
        if not sc:
            options += ' legacy'
        if smallest != 16:
            options += f' smallest={smallest}'
        self.say(' '.join(f'{role} {WORDS[io]} {options}'.split()))
        if state:
            self.say(state)
        self.given, self.offered = given, None
        own_auth = BOND | (SC if sc and given != 'tk' else 0) | (MITM if io != NONE or given or offered else 0)
        mine = [io, 1 if given else 0, own_auth, 16, 3, 3]
        if claims or offered == 'taken':
            peer_oob = 1
        theirs = [peer_io, peer_oob, peer_auth, peer_size, *peer_keys]
        if not central:
            # the program answers with no more keys than requested, and without MITM if there can be
            # none
            mine[4] &= peer_keys[0]
            mine[5] &= peer_keys[1]
            if not peer_auth & BOND:
                mine[2] &= ~BOND
            if self.method(theirs, mine) == 'justworks':
                mine[2] &= ~MITM
        first, second = (mine, theirs) if central else (theirs, mine)
        self.request, self.response = bytes([1] + first), bytes([2] + second)
        self.secure = bool(first[2] & second[2] & SC)
        self.how = self.method(first, second)
        self.size = min(first[3], second[3])
        self.keys = [first[4] & second[4] & 3, first[5] & second[5] & 3]
        self.bonds = bool(first[2] & second[2] & BOND)
        self.private = int.from_bytes(self.draw('their private', 32), 'little')
        self.code = self.draw('what was given')
        if given == 'tk':
            self.say('given tk ' + self.code.hex())
        elif given:
            x = times(self.private, BASE)[0].to_bytes(32, 'little')
            self.say(f'given sc {f4(x, x, self.code, 0).hex()} {self.code.hex()}')
        if offered:
            # what the program offered: its key pair was made earlier
            self.own, self.offered = self.draw('private', 32), self.draw('what we gave')
            self.say(f'offered {self.own.hex()} {self.offered.hex()}')

    @staticmethod
    def method(first, second):
        secure = first[2] & second[2] & SC
        if first[1] | second[1] if secure else first[1] & second[1]:
            return 'oob'
        if not (first[2] | second[2]) & MITM or NONE in (first[0], second[0]):
            return 'justworks'
        a, b = first[0], second[0]
        if KEYBOARD in (a, b):
            return 'both' if a == b else 'responder' if a == KEYBOARD else 'initiator'
        if a == b == BOTH:
            return 'compare' if secure else 'initiator'
        if BOTH in (a, b):
            if secure and YESNO in (a, b):
                return 'compare'
            return 'initiator' if b == BOTH else 'responder'
        return 'compare' if secure and a == b == YESNO else 'justworks'

    def say(self, line):
        self.lines.append(line)

    def send(self, octets):
        self.say('< ' + octets.hex(' '))

    def want(self, octets):
        self.say('> ' + octets.hex(' '))

    def draw(self, what, count=16):
        self.count += 1
        seed = f'{self.name} {what} {self.count}'.encode()
        return (hashlib.sha256(seed).digest() + hashlib.sha256(seed + b'2').digest())[:count]

    def random(self, what, count=16):
        """The next output of the program's generator."""
        octets = self.draw(what, count)
        self.say('random ' + octets.hex(' '))
        return octets

    # Phase 1

    def features(self):
        if self.central:
            self.say('pair')
            self.want(self.request)
            return
        self.send(self.request)

    def answer(self):
        (self.send if self.central else self.want)(self.response)

    def begin(self):
        """Both have sent their capabilities."""
        if self.central:
            self.features()
            if self.secure:
                self.own = self.own if self.offered and self.response[2] else self.random('private', 32)
            elif self.how in ('justworks', 'oob'):
                # no user is asked: the confirm value follows at once
                self.mine = self.random('random')
            self.answer()
        else:
            if self.secure:
                self.own = self.own if self.offered and self.request[2] else self.random('private', 32)
            self.features()
            self.answer()
            if self.offered and self.request[2]:
                self.say('spent')

    # Phase 2

    def public_keys(self, bend=None):
        def coordinates(point):
            return point[0].to_bytes(32, 'little') + point[1].to_bytes(32, 'little')
        mine = times(int.from_bytes(self.own, 'little'), BASE)
        theirs = times(self.private, BASE)
        shown = bend(theirs, mine) if bend else theirs
        if self.central:
            if self.offered and self.response[2]:
                self.say('spent')
            self.want(b'\x0c' + coordinates(mine))
        self.send(b'\x0c' + coordinates(shown))
        if bend:
            return
        if not self.central:
            self.want(b'\x0c' + coordinates(mine))
        self.x = [coordinates(mine)[:32], coordinates(theirs)[:32]]
        self.secret = times(self.private, mine)[0].to_bytes(32, 'little')

    def commitment(self, mine, nonce, z=0):
        u, v = self.x if mine else self.x[::-1]
        return f4(u, v, nonce, z)

    def unproven_rounds(self, spoil=False):
        """Just Works and numeric comparison: the responder commits."""
        if self.central:
            theirs = self.draw('their nonce')
            mine = self.random('nonce')
            value = self.commitment(False, theirs)
            self.send(b'\x03' + (xor(value, b'\x01' + bytes(15)) if spoil else value))
            self.want(b'\x04' + mine)
            self.send(b'\x04' + theirs)
            self.nonces = [mine, theirs]
        else:
            theirs = self.draw('their nonce')
            mine = self.nonce
            self.want(b'\x03' + self.commitment(True, mine))
            self.send(b'\x04' + theirs)
            self.want(b'\x04' + mine)
            self.nonces = [theirs, mine]

    nonce = None
    mine = None

    def coded(self, code, wrong=None, mirror=False, between=()):
        """20 rounds with a code. The program draws each nonce when a round begins: as a central
        after the last one, as a peripheral when it receives the confirm value."""
        wrong = code if wrong is None else wrong
        ready = self.nonce
        for i in range(20):
            z, y = 0x80 | code >> i & 1, 0x80 | wrong >> i & 1
            mine = ready or self.random('nonce')
            ready = None
            theirs = self.draw('their nonce')
            if self.central:
                self.want(b'\x03' + self.commitment(True, mine, z))
                if i == 0:
                    self.lines += between
                if mirror:
                    return self.send(b'\x03' + self.commitment(True, mine, z))
                self.send(b'\x03' + self.commitment(False, theirs, y))
                self.want(b'\x04' + mine)
                if z == y and i < 19:
                    ready = self.random('nonce')
                self.send(b'\x04' + theirs)
            else:
                self.send(b'\x03' + self.commitment(False, theirs, y))
                self.want(b'\x03' + self.commitment(True, mine, z))
                self.send(b'\x04' + theirs)
                if z == y:
                    self.want(b'\x04' + mine)
            if z != y:
                return
            self.nonces = [mine, theirs] if self.central else [theirs, mine]

    def checks(self, code=0, wrong=False):
        values = [code.to_bytes(16, 'little')] * 2
        if self.how == 'oob':
            # each check uses what the other end offered
            theirs = self.code if self.given else bytes(16)
            mine = self.offered if self.offered and (self.response if self.central else self.request)[2] else bytes(16)
            values = [theirs, mine] if self.central else [mine, theirs]
        self.mac, self.key = f5(self.secret, *self.nonces, *SEVEN)
        ea = f6(self.mac, *self.nonces, values[0], self.request[1:4], *SEVEN)
        eb = f6(self.mac, *self.nonces[::-1], values[1], self.response[1:4], *SEVEN[::-1])
        self.key = self.key[:self.size] + bytes(16 - self.size)
        mine, theirs = (ea, eb) if self.central else (eb, ea)
        if wrong:
            theirs = xor(theirs, b'\x01' + bytes(15))
        if self.central:
            self.want(b'\x0d' + mine)
        self.send(b'\x0d' + theirs)
        if not self.central and not wrong:
            self.want(b'\x0d' + mine)

    def c1(self, mine, random, code=0):
        key = code if isinstance(code, bytes) else code.to_bytes(16, 'little')
        return c1(key, random, self.request, self.response, KINDS, *ADDRESSES)

    def legacy(self, code=0, other=None, spoil=False, mirror=False, mine=None):
        """Confirm values and random numbers; the tester may have another code."""
        other = code if other is None else other
        mine, theirs = mine or self.mine or self.random('random'), self.draw('their random')
        confirm = self.c1(False, theirs, other)
        if spoil:
            confirm = xor(confirm, b'\x01' + bytes(15))
        if self.central:
            self.want(b'\x03' + self.c1(True, mine, code))
            if mirror:
                return self.send(b'\x03' + self.c1(True, mine, code))
            self.send(b'\x03' + confirm)
            self.want(b'\x04' + mine)
            self.send(b'\x04' + theirs)
        else:
            self.send(b'\x03' + confirm)
            self.want(b'\x03' + self.c1(True, mine, code))
            self.send(b'\x04' + theirs)
            if code == other and not spoil:
                self.want(b'\x04' + mine)
        nonces = [mine, theirs] if self.central else [theirs, mine]
        key = s1(code if isinstance(code, bytes) else code.to_bytes(16, 'little'), nonces[1], nonces[0])
        self.key = key[:self.size] + bytes(16 - self.size)

    # Phase 3

    @property
    def authenticated(self):
        return self.how != 'justworks'

    @property
    def level(self):
        kind = 'sc' if self.secure else 'legacy'
        return f"{kind} {'authenticated' if self.authenticated else 'unauthenticated'} {self.size}"

    def encrypt(self):
        if self.central:
            self.say(f'enable {self.key.hex()} 0000 0000000000000000')
        else:
            self.say('key 0000 0000000000000000')
            self.say('give ' + self.key.hex())

    def phase3(self):
        """Encryption and key distribution, to the end of the pairing."""
        self.encrypt()
        mine, theirs = (self.keys if self.central else self.keys[::-1])
        if self.secure:
            mine, theirs = mine & ID, theirs & ID
        own = self.random('keys', 26) if mine & ENC else None
        self.say('enc')
        self.say('level ' + self.level)
        if self.central:
            self.their_keys(theirs)
            self.bond(mine, theirs, own, bool(mine))
            self.own_keys(mine, own)
            if mine:
                self.bond(mine, theirs, own, False)
        else:
            self.own_keys(mine, own)
            self.their_keys(theirs)
            self.bond(mine, theirs, own, False)
        self.say('end secured ' + self.level)

    def own_keys(self, keys, drawn):
        if keys & ENC:
            key = drawn[:self.size] + bytes(16 - self.size)
            self.want(b'\x06' + key)
            self.own_name = r(drawn[16:18]) + r(drawn[18:26])
            self.want(b'\x07' + self.own_name)
        if keys & ID:
            place = 0 if self.central else 1
            self.want(b'\x08' + IRK[place])
            self.want(b'\x09' + bytes([KINDS[place]]) + ADDRESSES[place])

    def their_keys(self, keys):
        self.peer_key = self.draw('their key')
        self.peer_key = self.peer_key[:self.size] + bytes(16 - self.size)
        self.peer_name = self.draw('their name', 10)
        if keys & ENC:
            self.send(b'\x06' + self.peer_key)
            self.send(b'\x07' + self.peer_name)
        if keys & ID:
            place = 1 if self.central else 0
            self.send(b'\x08' + IRK[place])
            self.send(b'\x09' + bytes([KINDS[place]]) + ADDRESSES[place])

    def bond(self, mine, theirs, own, provisional):
        if not self.bonds:
            return
        if self.secure:
            keys = 'key ' + self.key.hex()
        else:
            keys = ''
            if theirs & ENC:
                keys += f'theirs {self.peer_key.hex()} {self.peer_name.hex()} '
            if mine & ENC:
                name = (r(own[16:18]) + r(own[18:26])).hex()
                keys += f'ours {(own[:self.size] + bytes(16 - self.size)).hex()} {name} '
            if not keys:
                return
        place = 1 if self.central else 0
        irk = ' irk ' + IRK[place].hex() if theirs & ID else ''
        known = ' known' if mine & ID else ''
        word = 'provisional' if provisional else 'bond'
        self.say(f'{word} {self.level} {keys.strip()}{irk}{known}')

    # Whole pairings

    def unproven(self):
        """Just Works, to the end."""
        self.begin_unproven()
        self.checks()
        self.phase3()
        return self

    def begin_unproven(self, spoil=False):
        self.begin()
        if not self.central:
            self.nonce = self.random('nonce')
        self.public_keys()
        self.unproven_rounds(spoil)

    def failed(self, reason):
        self.want(bytes([5, reason]))
        self.say(f'end failed by-us {reason:02x}')
        return self

    def told(self, reason):
        refusal = bytes([5, reason])
        self.send(refusal)
        # A Pairing Request that came too early is repeated when the delay has ended (2.3.6).
        if reason == 9 and self.central:
            for delay in (2.5, 4.5, 8.5):
                self.say(f'wait {delay}')
                self.want(self.request)
                self.send(refusal)
        self.say(f'end failed by-peer {reason:02x}')
        return self


CASES = []


def case(name, words, central, **options):
    made = Case('SM/' + name, words, central, **options)
    CASES.append(made)
    return made


def legacy_success(made):
    """Legacy Just Works, to the end."""
    made.begin()
    made.legacy()
    made.phase3()
    return made


PLAIN = dict(sc=False, peer_auth=BOND)


def protocol():
    c = case('CEN/PROT/BV-01-C', '30 s without an answer: the link is closed, and a late PDU is not answered', True)
    c.features()
    c.say('wait 29')
    c.say('wait 1')
    c.say('end failed timeout')
    c.say('close')
    c.send(c.response)
    c = case('CEN/PROT/BV-01-C', 'each PDU begins the 30 s again', True)
    c.features()
    c.own = c.draw('private', 32)
    c.say('wait 20')
    c.say('random ' + c.own.hex(' '))
    c.answer()
    mine = times(int.from_bytes(c.own, 'little'), BASE)
    c.want(b'\x0c' + mine[0].to_bytes(32, 'little') + mine[1].to_bytes(32, 'little'))
    c.say('wait 29')
    c.say('wait 1')
    c.say('end failed timeout')
    c.say('close')
    c = case('PER/PROT/BV-02-C', '30 s without a PDU of the central', False, peer_io=NONE, **PLAIN)
    c.begin()
    c.say('wait 29')
    c.say('wait 1')
    c.say('end failed timeout')
    c.say('close')
    c.send(b'\x03' + bytes(16))


def just_works():
    legacy_success(case('PER/JW/BV-02-C', 'Just Works', False, **PLAIN))
    legacy_success(case('CEN/JW/BV-01-C', 'Just Works', True, **PLAIN))
    for reason in (0x08, 0x05, 0x09, 0x10):
        c = case('CEN/JW/BV-05-C', f'reason {reason:02x} is told', True)
        c.features()
        c.told(reason)
    legacy_success(case('CEN/JW/BI-04-C', 'reserved bits of AuthReq are ignored', True, sc=True, peer_auth=BOND | 0xC0))
    legacy_success(case('PER/JW/BI-03-C', 'reserved bits of AuthReq are ignored', False, sc=True, peer_auth=BOND | 0xC0))
    c = case('CEN/JW/BI-01-C', 'a wrong confirm value', True, **PLAIN)
    c.begin()
    c.legacy(spoil=True)
    c.failed(4)
    c = case('PER/JW/BI-02-C', 'a wrong confirm value', False, **PLAIN)
    c.begin()
    c.legacy(spoil=True)
    c.failed(4)
    c = case('CEN/JW/BI-06-C', 'our confirm value comes back', True, **PLAIN)
    c.begin()
    c.legacy(mirror=True)
    c.failed(4)


CODE = 516645


def drawn(code):
    """Eight bytes from which the program makes this code, most significant first."""
    return code.to_bytes(8, 'big')


def passkeys():
    proven = BOND | MITM

    def shows(name, words, central, sc=False, code=CODE, **options):
        """The program shows a code and the tester types it."""
        c = case(name, words, central, io=DISPLAY, sc=sc, peer_io=KEYBOARD, peer_auth=proven | (SC if sc else 0), **options)
        c.code = code
        return c

    def begin(c):
        """Up to the display of the code."""
        if c.central:
            c.features()
            c.say('random ' + drawn(c.code).hex(' '))
            mine = c.random('random')
            c.answer()
        else:
            c.say('random ' + drawn(c.code).hex(' '))
            mine = None
            c.features()
            c.answer()
        c.say(f'ask display {c.code:06}')
        return mine

    c = shows('CEN/PKE/BV-01-C', 'we show the code', True)
    c.legacy(c.code, mine=begin(c))
    c.phase3()
    c = case('CEN/PKE/BV-01-C', 'both enter a code', True, io=KEYBOARD, sc=False, peer_io=KEYBOARD, peer_auth=proven)
    c.begin()
    c.say('ask passkey')
    mine = c.random('random')
    c.say(f'code {CODE}')
    c.legacy(CODE, mine=mine)
    c.phase3()
    c = case('PER/PKE/BV-02-C', 'the tester shows the code', False, io=KEYBOARD, sc=False, peer_io=BOTH, peer_auth=proven)
    c.begin()
    c.say('ask passkey')
    c.say(f'code {CODE}')
    c.legacy(CODE)
    c.phase3()
    c = shows('PER/PKE/BV-02-C', 'we show the code, with leading zeros', False, code=42)
    begin(c)
    c.legacy(c.code)
    c.phase3()
    legacy_success(case('CEN/PKE/BV-04-C', 'a peer without input and output', True, io=DISPLAY, sc=False, peer_auth=BOND))
    c = case('PER/PKE/BV-06-C', 'a peer without input and output: no MITM in the answer', False, io=DISPLAY, sc=False,
             peer_auth=BOND)
    legacy_success(c)
    c = case('PER/PKE/BV-06-C', 'who can enter a code, and cannot consent, refuses it', False, io=KEYBOARD, sc=False,
             peer_auth=BOND)
    c.features()
    c.want(b'\x05\x03')
    for number, code in enumerate((0, 999999, CODE)):
        c = shows('CEN/PKE/BV-05-C', f'each pairing has a code of its own, {number + 1}', True, code=code)
        c.legacy(c.code, mine=begin(c))
        c.phase3()
    c = shows('CEN/PKE/BI-01-C', 'the tester has another code', True)
    c.legacy(c.code, other=CODE + 1, mine=begin(c))
    c.failed(4)
    c = shows('CEN/PKE/BI-02-C', 'the tester breaks off', True)
    mine = begin(c)
    c.want(b'\x03' + c.c1(True, mine, CODE))
    c.told(1)
    c = shows('PER/PKE/BI-03-C', 'the tester has another code', False)
    begin(c)
    c.legacy(c.code, other=CODE - 1)
    c.failed(4)
    c = shows('CEN/PKE/BI-03-C', 'our confirm value comes back', True)
    c.legacy(c.code, mirror=True, mine=begin(c))
    c.failed(4)
    c = case('CEN/PKE/BI-03-C', 'an answer that comes after 28 s', True, io=KEYBOARD, sc=False, peer_io=DISPLAY, peer_auth=proven)
    c.begin()
    c.say('ask passkey')
    c.say('wait 28')
    c.want(b'\x05\x01')
    c.say('withdraw')
    c.say('end failed by-us 01')
    c.say(f'code {CODE}')


def out_of_band_flags():
    legacy_success(case('CEN/OOB/BV-07-C', 'only the tester has data', True, sc=False, peer_auth=BOND, peer_oob=1))
    legacy_success(case('PER/OOB/BV-08-C', 'only the tester has data', False, sc=False, peer_auth=BOND, peer_oob=1))
    c = case('CEN/OOB/BV-05-C', 'only the tester has data: a code', True, io=DISPLAY, sc=False, peer_io=KEYBOARD, peer_oob=1,
             peer_auth=BOND | MITM)
    c.features()
    c.say('random ' + drawn(CODE).hex(' '))
    mine = c.random('random')
    c.answer()
    c.say(f'ask display {CODE:06}')
    c.legacy(CODE, mine=mine)
    c.phase3()
    c = case('PER/OOB/BV-06-C', 'only the tester has data: a code', False, io=KEYBOARD, sc=False, peer_io=BOTH, peer_oob=1,
             peer_auth=BOND | MITM)
    c.begin()
    c.say('ask passkey')
    c.say(f'code {CODE}')
    c.legacy(CODE)
    c.phase3()


def secure_out_of_band(c):
    central = c.central
    c.begin()
    nonce = c.random('nonce')
    c.public_keys()
    theirs = c.draw('their nonce')
    if central:
        c.want(b'\x04' + nonce)
    c.send(b'\x04' + theirs)
    if not central:
        c.want(b'\x04' + nonce)
    c.nonces = [nonce, theirs] if central else [theirs, nonce]
    c.checks()
    c.phase3()


def out_of_band():
    for central, names in ((True, ('CEN/OOB/BV-01-C', 'CEN/OOB/BV-10-C', 'CEN/OOB/BI-01-C')),
                           (False, ('PER/OOB/BV-02-C', 'PER/OOB/BV-11-C', 'PER/OOB/BI-02-C'))):
        for name in names[:2]:
            c = case(name, 'both have a TK', central, given='tk', peer_auth=BOND | MITM, peer_oob=1)
            c.begin()
            c.legacy(c.code)
            c.phase3()
        c = case(names[2], 'the tester has another TK', central, given='tk', peer_auth=BOND | MITM, peer_oob=1)
        c.begin()
        c.legacy(c.code, other=bytes(15) + b'\x01')
        c.failed(4)
        # we hold the peer's data and it does not know that: no unauthenticated pairing
        c = case('CEN/OOB/BV-09-C' if central else 'PER/OOB/BV-10-C', 'only we have data, and want a proof', central, given='tk',
                 peer_auth=BOND)
        c.features()
        if central:
            c.answer()
            c.want(b'\x05\x03')
            c.say('end failed unproven')
        else:
            c.want(b'\x05\x03')
        end = 'CEN' if central else 'PER'
        c = case(f'{end}/SCOB/BV-0{1 if central else 2}-C', 'we have data of the tester', central, given='sc')
        secure_out_of_band(c)
        c = case(f'{end}/SCOB/BV-0{4 if central else 3}-C', 'reserved bits of AuthReq are ignored', central, given='sc',
                 peer_auth=BOND | SC | 0xC0)
        secure_out_of_band(c)
        c = case(f'{end}/SCOB/BI-0{4 if central else 3}-C', 'the key is not that of the data', central, given='sc')
        c.private += 1
        c.begin()
        c.public_keys()
        c.failed(4)
        for reason in (0x03, 0x08, 0x05, 0x09, 0x02):
            c = case(f'{end}/SCOB/BI-0{1 if central else 2}-C', f'reason {reason:02x} is told', central, given='sc')
            c.features()
            if not central:
                c.random('private', 32)
                c.lines[-1], c.lines[-2] = c.lines[-2], c.lines[-1]
                c.answer()
            c.told(reason)
        c = case(f'{end}/SCOB/BV-0{1 if central else 2}-C', 'the tester says that it has data of ours', central, claims=1)
        c.features()
        if central:
            c.answer()
            c.failed(2)
        else:
            c.want(b'\x05\x02')
    for central in (True, False):
        end = 'CEN' if central else 'PER'
        name = f'{end}/SCOB/BV-0{1 if central else 2}-C'
        c = case(name, 'the tester has data of ours', central, offered='taken')
        secure_out_of_band(c)
        c = case(name, 'each has data of the other', central, given='sc', offered='taken')
        secure_out_of_band(c)
        c = case(name, 'we have data of the tester, which does not have ours', central, given='sc', offered='lying')
        secure_out_of_band(c)
        c = case(f'{end}/SCOB/BI-0{1 if central else 2}-C', 'the tester only says that it has data of ours', central, offered='taken')
        c.begin()
        nonce = c.random('nonce')
        c.public_keys()
        theirs = c.draw('their nonce')
        if central:
            c.want(b'\x04' + nonce)
        c.send(b'\x04' + theirs)
        if not central:
            c.want(b'\x04' + nonce)
        c.nonces = [nonce, theirs] if central else [theirs, nonce]
        c.checks(wrong=True)
        c.failed(11)
        # and the next one has none of it
        c.say('wait 2')
        c.features()
        if central:
            c.answer()
            c.failed(2)
        else:
            c.want(b'\x05\x02')
        c = case(f'{end}/SCOB/BI-0{1 if central else 2}-C', 'the tester has nothing of ours, and could prove nothing', central,
                 offered='lying')
        c.features()
        if central:
            c.answer()
            c.want(b'\x05\x03')
            c.say('end failed unproven')
        else:
            c.want(b'\x05\x03')
    c = case('CEN/OOB/BV-03-C', 'only we have data: a code', True, given='tk', io=KEYBOARD, peer_io=DISPLAY, peer_auth=BOND | MITM)
    c.begin()
    c.say('ask passkey')
    mine = c.random('random')
    c.say(f'code {CODE}')
    c.legacy(CODE, mine=mine)
    c.phase3()
    c = case('PER/OOB/BV-04-C', 'only we have data: a code', False, given='tk', io=KEYBOARD, peer_io=BOTH, peer_auth=BOND | MITM)
    c.begin()
    c.say('ask passkey')
    c.say(f'code {CODE}')
    c.legacy(CODE)
    c.phase3()


def key_sizes():
    for smallest in (7, 10, 16):
        for central in (True, False):
            name = 'CEN/EKS/BV-01-C' if central else 'PER/EKS/BV-02-C'
            c = case(name, f'{smallest} octets, also on the next link', central, sc=False, peer_auth=BOND, peer_size=smallest,
                     smallest=smallest)
            legacy_success(c)
            c.say('again')
            if central:
                c.say('pair')
                key, name = c.peer_key, c.peer_name
                c.say(f'enable {key.hex()} {name[:2].hex()} {name[2:].hex()}')
            else:
                own = next(line for line in c.lines if line.startswith('> 06'))[5:].replace(' ', '')
                name = c.own_name
                c.say(f'key {name[:2].hex()} {name[2:].hex()}')
                c.say('give ' + own)
            c.say('enc')
            c.say('level ' + c.level)
            if central:
                c.say('end secured ' + c.level)
            name = 'CEN/EKS/BI-01-C' if central else 'PER/EKS/BI-02-C'
            c = case(name, f'{smallest - 1} octets', central, sc=False, peer_auth=BOND, peer_size=smallest - 1, smallest=smallest)
            c.features()
            if central:
                c.answer()
                c.failed(10 if smallest == 7 else 6)
            else:
                c.want(bytes([5, 10 if smallest == 7 else 6]))
    for central in (True, False):
        c = case('CEN/EKS/BV-01-C' if central else 'PER/EKS/BV-02-C', 'Secure Connections: 7 octets', central, peer_size=7,
                 smallest=7)
        c.unproven()


def key_distribution():
    for name, words, central, sc, keys in (
            ('PER/KDU/BV-01-C', 'EncKey', False, False, (0, ENC)), ('PER/KDU/BV-02-C', 'IdKey', False, False, (0, ID)),
            ('PER/KDU/BV-08-C', 'IdKey', False, True, (0, ID)), ('CEN/KDU/BV-05-C', 'IdKey', True, False, (ID, 0)),
            ('CEN/KDU/BV-06-C', 'EncKey', True, False, (ENC, 0)), ('CEN/KDU/BV-10-C', 'IdKey', True, True, (ID, 0))):
        kind = 'Secure Connections' if sc else 'legacy'
        c = case(name, f'{kind}, {words}: no other key', central, sc=sc, peer_auth=BOND | (SC if sc else 0), peer_keys=keys)
        if sc:
            c.unproven()
        else:
            legacy_success(c)
    for central in (True, False):
        end = 'CEN' if central else 'PER'
        for sc in (True, False):
            kind = 'Secure Connections' if sc else 'legacy'
            number = {(True, True): 10, (True, False): 6, (False, True): 8, (False, False): 1}[central, sc]
            c = case(f'{end}/KDU/BV-{number:02}-C', f'{kind}, all that there is, and no signature or link key', central, sc=sc,
                     peer_auth=BOND | (SC if sc else 0), peer_keys=(3, 3) if central else (15, 15))
            if sc:
                c.unproven()
            else:
                legacy_success(c)
    # a response must not request more than was offered
    c = case('CEN/KDU/BV-05-C', 'keys that were not offered', True, peer_keys=(7, 3))
    c.features()
    c.answer()
    c.failed(10)
    # out of order
    c = case('CEN/KDU/BV-06-C', 'keys in another order', True, **PLAIN)
    c.begin()
    c.legacy()
    c.encrypt()
    c.random('keys', 26)
    c.say('enc')
    c.say('level ' + c.level)
    c.send(b'\x08' + IRK[1])
    c.failed(8)
    c = case('PER/KDU/BV-07-C', 'the link is encrypted again with the key that was given', False, peer_keys=(0, ENC), **PLAIN)
    legacy_success(c)
    own = next(line for line in c.lines if line.startswith('> 06'))[5:].replace(' ', '')
    c.say(f'key {c.own_name[:2].hex()} {c.own_name[2:].hex()}')
    c.say('give ' + own)
    c.say('enc')
    c.say('level ' + c.level)
    c = case('PER/KDU/BV-07-C', 'before we know that the central has all our keys', False, peer_keys=(0, ENC), **PLAIN)
    c.say('hold')
    c.begin()
    c.legacy()
    c.encrypt()
    own = c.random('keys', 26)
    c.say('enc')
    c.say('level ' + c.level)
    c.own_keys(ENC, own)
    c.bond(ENC, 0, own, False)
    c.say(f'key {c.own_name[:2].hex()} {c.own_name[2:].hex()}')
    c.say('give ' + own[:16].hex())
    c.say('enc')
    c.say('acknowledge')
    c.say('end secured ' + c.level)
    rejected()
    invalid_keys()


def rejected():
    c = case('PER/KDU/BI-02-C', 'legacy: the central rejects a key', False, peer_keys=(7, 7), **PLAIN)
    c.begin()
    c.legacy()
    c.encrypt()
    own = c.random('keys', 26)
    c.say('enc')
    c.say('level ' + c.level)
    c.own_keys(ENC | ID, own)
    c.told(15)
    c = case('PER/KDU/BI-03-C', 'Secure Connections: the central rejects a key', False, peer_keys=(7, 7))
    c.begin_unproven()
    c.checks()
    c.encrypt()
    c.say('enc')
    c.say('level ' + c.level)
    c.own_keys(ID, None)
    c.told(15)
    for held in (False, True):
        c = case('CEN/KDU/BI-02-C', 'the peripheral rejects our keys: ' + ('the older bond is there again' if held else
                 'the bond is taken back'), True,
                 state='bonded sc unauthenticated 16 ' + '5a' * 16 if held else None)
        c.say('hold')
        if held:
            c.say('pair renew')
            c.want(c.request)
            c.own = c.random('private', 32)
            c.answer()
        else:
            c.begin()
        c.public_keys()
        c.unproven_rounds()
        c.checks()
        c.encrypt()
        c.say('enc')
        c.say('level ' + c.level)
        c.their_keys(ID)
        c.bond(ID, ID, None, True)
        c.own_keys(ID, None)
        c.send(bytes([5, 15]))
        c.say('keep' if held else 'drop')
        c.say('end failed by-peer 0f')


def invalid_keys():
    bends = (('y is 0', lambda theirs, mine: (theirs[0], 0)),
             ('a bit of y is another', lambda theirs, mine: (theirs[0], theirs[1] ^ 1 << 77)),
             ('both are 0', lambda theirs, mine: (0, 0)))
    for central in (True, False):
        more = (('our x with our y', lambda theirs, mine: mine), ('our x with the other y', lambda theirs, mine:
                (mine[0], PRIME - mine[1]))) if central else ()
        for words, bend in bends + more:
            c = case(f"{'CEN' if central else 'PER'}/KDU/BI-04-C", words, central)
            c.begin()
            c.public_keys(bend)
            c.failed(11)


def security_requests():
    c = case('PER/PIS/BV-01-C', 'we ask for a pairing', False, io=DISPLAY, sc=False, peer_io=KEYBOARD, peer_auth=BOND | MITM)
    c.say('pair')
    c.want(b'\x0b\x05')
    c.say('random ' + drawn(CODE).hex(' '))
    c.features()
    c.answer()
    c.say(f'ask display {CODE:06}')
    c.legacy(CODE)
    c.phase3()
    c = case('CEN/PIS/BV-02-C', 'nobody wants to pair', True)
    c.send(b'\x0b\x05')
    c.say('wait 4')
    c.say('wait 1')
    c.want(b'\x05\x05')
    c = case('CEN/PIS/BV-02-C', 'a pairing follows', True)
    c.send(b'\x0b\x05')
    c.say('wait 4')
    c.unproven()
    c.say('wait 60')
    c = case('PER/PIS/BV-02-C', 'a bonded central is asked to encrypt', False,
             state='bonded sc unauthenticated 16 ' + '5a' * 16)
    c.say('heard')
    c.say('wait 0.5')
    c.want(b'\x0b\x09')
    c.say('key 0000 0000000000000000')
    c.say('give ' + '5a' * 16)
    c.say('enc')
    c.say('level sc unauthenticated 16')
    c = case('CEN/PIS/BV-03-C', 'a second request, while pairing, is ignored', True)
    c.send(b'\x0b\x05')
    c.features()
    c.send(b'\x0b\x05')
    c.own = c.random('private', 32)
    c.answer()
    c.public_keys()
    c.unproven_rounds()
    c.checks()
    c.phase3()
    c = case('CEN/PIS/BV-03-C', 'with a bond: it encrypts', True, state='bonded sc unauthenticated 16 ' + '5a' * 16)
    c.send(b'\x0b\x01')
    c.say(f"enable {'5a' * 16} 0000 0000000000000000")
    c.send(b'\x0b\x01')
    c.say('enc')
    c.say('level sc unauthenticated 16')
    c.say('end secured sc unauthenticated 16')
    c.send(b'\x0b\x01')
    for proven in (False, True):
        kind = 'authenticated' if proven else 'unauthenticated'
        words = 'with a bond that has a proof: it encrypts' if proven else 'with a bond without a proof: it encrypts, and one is wanted'
        c = case('CEN/PIS/BV-03-C', words, True, state=f'bonded sc {kind} 16 ' + '5a' * 16)
        c.send(b'\x0b\x0d')
        c.say(f"enable {'5a' * 16} 0000 0000000000000000")
        c.say('enc')
        c.say(f'level sc {kind} 16')
        c.say(f'end secured sc {kind} 16')
        if not proven:
            c.say('proof')
        c.send(b'\x0b\x0d')
        c = case('PER/PIS/BV-01-C', f'a value needs a proof, and the bond has {"one" if proven else "none: it is asked for once"}', False,
                 io=DISPLAY, state=f'bonded sc {kind} 16 ' + '5a' * 16)
        c.say('missing')
        c.say('key 0000 0000000000000000')
        c.say('give ' + '5a' * 16)
        c.say('missing')
        c.say('enc')
        c.say(f'level sc {kind} 16')
        c.say('missing')
        if not proven:
            c.want(b'\x0b\x0d')
        c.say('missing')


def secure_just_works():
    for central, name in ((True, 'CEN/SCJW/BV-01-C'), (False, 'PER/SCJW/BV-02-C')):
        for number in (1, 2, 3):
            case(name, f'Just Works, {number}: another nonce each time', central).unproven()
        for answer in (True, False):
            c = case(name if answer else 'CEN/SCJW/BI-01-C' if central else 'PER/SCJW/BI-02-C',
                     'numeric comparison' + ('' if answer else ', and we say no'), central, io=YESNO, peer_io=YESNO,
                     peer_auth=SC | BOND | MITM)
            c.begin_unproven()
            u, v = c.x if central else c.x[::-1]
            number = g2(u, v, *c.nonces)
            c.say(f'ask compare {number:06}')
            if not answer:
                c.say('no')
                c.failed(12)
                continue
            c.say('yes')
            c.checks()
            c.phase3()
    case('PER/SCJW/BV-03-C', 'reserved bits of AuthReq are ignored', False, peer_auth=BOND | SC | 0xC0).unproven()
    case('CEN/SCJW/BV-04-C', 'reserved bits of AuthReq are ignored', True, peer_auth=BOND | SC | 0xC0).unproven()
    for reason in (0x03, 0x08, 0x05, 0x09):
        c = case('CEN/SCJW/BI-01-C', f'reason {reason:02x} is told', True)
        c.features()
        c.told(reason)
    c = case('CEN/SCJW/BI-01-C', 'reason 0c in phase 2', True, io=YESNO, peer_io=YESNO, peer_auth=SC | BOND | MITM)
    c.begin_unproven()
    c.say(f'ask compare {g2(*c.x, *c.nonces):06}')
    c.send(b'\x05\x0c')
    c.say('withdraw')
    c.say('end failed by-peer 0c')
    c = case('PER/SCJW/BI-02-C', 'the central does not confirm', False)
    c.begin()
    c.nonce = c.random('nonce')
    c.public_keys()
    c.want(b'\x03' + c.commitment(True, c.nonce))
    c.told(4)
    c = case('CEN/SCJW/BV-01-C', 'a wrong confirm value', True)
    c.begin_unproven(spoil=True)
    c.failed(4)
    for central in (True, False):
        c = case('CEN/SCJW/BV-01-C' if central else 'PER/SCJW/BV-02-C', 'a wrong check of the key', central)
        c.begin_unproven()
        c.checks(wrong=True)
        c.failed(11)


def secure_passkeys():
    proven = SC | BOND | MITM

    def begin(central, name, words, io=DISPLAY, auth=proven, code=CODE):
        peer_io = KEYBOARD
        c = case(name, words, central, io=io, peer_io=peer_io, peer_auth=auth)
        c.begin()
        if io == DISPLAY:
            c.say('random ' + drawn(code).hex(' '))
            if central:
                c.nonce = c.random('nonce')
        c.public_keys()
        if io == DISPLAY:
            c.say(f'ask display {code:06}')
        else:
            c.say('ask passkey')
            if central:
                c.nonce = c.random('nonce')
            c.say(f'code {code}')
        return c

    for central, name in ((True, 'CEN/SCPK/BV-01-C'), (False, 'PER/SCPK/BV-02-C')):
        for io, words in ((DISPLAY, 'we show the code'), (KEYBOARD, 'both enter a code')):
            c = begin(central, name, words, io)
            c.coded(CODE)
            c.checks(CODE)
            c.phase3()
    c = begin(True, 'CEN/SCPK/BV-01-C', 'keypresses of the tester are ignored', auth=proven | KEYPRESS)
    first = c.lines.pop()
    c.say(first)
    for kind in (0, 1, 1, 4):
        c.lines.append('< ' + bytes([0x0E, kind]).hex(' '))
    keypresses = c.lines[-4:]
    c.lines = c.lines[:-4]
    c.coded(CODE, between=keypresses)
    c.checks(CODE)
    c.phase3()
    for central, name in ((False, 'PER/SCPK/BV-03-C'), (True, 'CEN/SCPK/BV-04-C')):
        c = begin(central, name, 'reserved bits of AuthReq are ignored', auth=proven | 0xC0)
        c.coded(CODE)
        c.checks(CODE)
        c.phase3()
    for number, code in enumerate((0, 999999, 271828)):
        c = begin(True, 'CEN/SCPK/BV-05-C', f'each pairing has a code of its own, {number + 1}', code=code)
        c.coded(code)
        c.checks(code)
        c.phase3()
    for reason in (0x03, 0x08, 0x05, 0x09):
        c = case('CEN/SCPK/BI-01-C', f'reason {reason:02x} is told', True, io=DISPLAY)
        c.features()
        c.told(reason)
        c = case('PER/SCPK/BI-04-C', f'reason {reason:02x} is told', False, io=DISPLAY, peer_io=KEYBOARD, peer_auth=proven)
        c.begin()
        c.told(reason)
    c = begin(True, 'CEN/SCPK/BI-01-C', 'reason 01 in phase 2')
    c.want(b'\x03' + c.commitment(True, c.nonce, 0x80 | CODE & 1))
    c.told(1)
    c = begin(False, 'PER/SCPK/BI-04-C', 'reason 01 in phase 2')
    c.told(1)
    for central, name in ((True, 'CEN/SCPK/BI-02-C'), (False, 'PER/SCPK/BI-03-C')):
        c = begin(central, name, 'a wrong confirm value')
        c.coded(CODE, wrong=CODE ^ 1)
        c.failed(4)
    for central, name in ((True, 'CEN/SCPK/BI-03-C'), (False, 'PER/SCPK/BI-05-C')):
        for bit in (1, 9, 19):
            c = begin(central, name, f'the tester has another code, bit {bit}')
            c.coded(CODE, wrong=CODE ^ 1 << bit)
            c.failed(4)
    c = begin(True, 'CEN/SCPK/BI-02-C', 'our confirm value comes back')
    c.coded(CODE, mirror=True)
    c.failed(4)


for part in (protocol, just_works, passkeys, out_of_band_flags, out_of_band, key_sizes, key_distribution, security_requests,
             secure_just_works, secure_passkeys):
    part()
print('\n\n'.join('\n'.join(one.lines) for one in CASES))
