#!/usr/bin/env python3
"""Checks that tooth accepts and refuses the same programs as the grammar.

agree.py TOOTH COUNT SEED: generates COUNT programs from grammar.ebnf, changes a token or two in
every second one, and compares the result of a predictive parser for the grammar with that of
`tooth check` (T001 to T039 concern the text). Prints at most ten disagreements, and exits with 1 if
there are any."""
import json, os, random, re, subprocess, sys, tempfile

CLASSES = {'NL', 'EOF', 'STRING', 'NAME', 'WORD', 'NUMBER', 'DURATION', 'UUID', 'ADDRESS'}
RESERVED = set('''and contains else end every false for forever hex if in is it matches mod not nothing of or otherwise secret
shell true until waiting while within'''.split())
# Rules of the language beyond its grammar: hex digits come in pairs, a label names its block, bit
# operators and arithmetic are not mixed, a UUID has four digits, an included file is named as one,
# a time has a unit, no procedure has the name of a statement, and no clause is repeated. What
# follows such an error says nothing about the grammar.
BEYOND = {'T009', 'T018', 'T025', 'T032', 'T034', 'T035', 'T036', 'T037'}
GOES_ON = set(', + - * / & | ^ << >> < <= > >= and or not is in contains matches mod'.split())


class Grammar:
    """Rules as nested tuples, their first sets, and which parts may be empty."""

    def __init__(self, text):
        text = re.sub(r'\(\*.*?\*\)', '', text, flags=re.S)
        self.tokens = re.findall(r'"[^"]*"|[A-Za-z_]+|[=|;{}\[\]()]', text)
        self.rules = {}
        while self.tokens:
            name = self.take()
            assert self.take() == '=', name
            self.rules[name] = self.choice()
            assert self.take() == ';', name
        self.empty = {name: False for name in self.rules}
        self.firsts = {name: frozenset() for name in self.rules}
        changed = True
        while changed:
            changed = False
            for name, part in self.rules.items():
                found = (self.may_be_empty(part), self.first(part))
                if found != (self.empty[name], self.firsts[name]):
                    self.empty[name], self.firsts[name] = found
                    changed = True
        self.costs = {name: 10 ** 6 for name in self.rules}
        for _ in range(40):
            for name, part in self.rules.items():
                self.costs[name] = self.cost(part)

    def take(self):
        return self.tokens.pop(0)

    def choice(self):
        parts = [self.sequence()]
        while self.tokens[0] == '|':
            self.take()
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else ('choice', tuple(parts))

    def sequence(self):
        parts = []
        while self.tokens[0] not in '|;)]}':
            token = self.take()
            if token in '([{':
                inner = self.choice()
                self.take()
                parts.append(inner if token == '(' else ('option' if token == '[' else 'repeat', inner))
            elif token[0] == '"':
                parts.append(('token', token[1:-1]))
            elif token in CLASSES:
                parts.append(('token', '<' + token))
            else:
                parts.append(('rule', token))
        return ('sequence', tuple(parts))

    def may_be_empty(self, part):
        kind, inner = part
        if kind == 'token':
            return False
        if kind == 'rule':
            return self.empty[inner]
        if kind in ('option', 'repeat'):
            return True
        return (all if kind == 'sequence' else any)(self.may_be_empty(one) for one in inner)

    def first(self, part):
        kind, inner = part
        if kind == 'token':
            return frozenset([inner])
        if kind == 'rule':
            return self.firsts[inner]
        if kind in ('option', 'repeat'):
            return self.first(inner)
        found = frozenset()
        for one in inner:
            found |= self.first(one)
            if kind == 'sequence' and not self.may_be_empty(one):
                break
        return found

    def cost(self, part):
        """The length of the shortest text."""
        kind, inner = part
        if kind == 'token':
            return 1
        if kind == 'rule':
            return 1 + self.costs[inner]
        if kind in ('option', 'repeat'):
            return 0
        costs = [self.cost(one) for one in inner]
        return sum(costs) if kind == 'sequence' else min(costs)

    # --- generating programs

    def make(self, part, dice, depth):
        kind, inner = part
        if kind == 'token':
            return [self.make_token(inner, dice)]
        if kind == 'rule':
            return self.make(self.rules[inner], dice, depth - 1)
        if kind == 'sequence':
            return [token for one in inner for token in self.make(one, dice, depth)]
        if kind == 'choice':
            fit = list(inner)
            if depth <= 0:
                least = min(self.cost(one) for one in inner)
                fit = [one for one in inner if self.cost(one) == least]
            return self.make(dice.choice(fit), dice, depth)
        rounds = 0 if depth <= 0 else dice.choice([0, 0, 1]) if kind == 'option' else dice.choice([0, 0, 1, 1, 2])
        return [token for _ in range(rounds) for token in self.make(inner, dice, depth)]

    def make_token(self, token, dice):
        texts = {
            '<NL': ['\n'], '<EOF': [''], '<STRING': ['"a b"', "'c'", '"05:30"'], '<NAME': ['alpha', 'beta_2', 'gamma', 'delta'],
            '<WORD': ['alpha', 'first', 'epsilon'], '<NUMBER': ['1', '42', '0x2A'], '<DURATION': ['5s', '250ms', '1h30min'],
            '<UUID': ['5c1d0001-7e40-4f6e-9a0b-3d2f11aa0001'], '<ADDRESS': ['C4:7C:8D:6A:12:0F', 'C4:7C:8D:6A:12:0F/random'],
        }
        return (token, dice.choice(texts[token])) if token in texts else (token, token)

    # --- parsing programs

    def fits(self, wanted, token):
        kind, text = token
        if wanted == '<WORD':
            return re.fullmatch('[A-Za-z_][A-Za-z0-9_]*', text) is not None
        if wanted == '<NAME':
            return re.fullmatch('[a-z_][A-Za-z0-9_]*', text) is not None and text not in RESERVED
        return wanted == kind or wanted == text

    def starts(self, part, token):
        words = self.first(part)
        return any(self.fits(word, token) for word in words)

    def exactly(self, part, token):
        """A word of the grammar, not a name."""
        return token[1] in self.first(part)

    def accepts(self, tokens):
        self.input = tokens
        self.place = 0
        try:
            self.read(('rule', 'recipe'))
            return True
        except SyntaxError:
            return False

    def read(self, part):
        kind, inner = part
        token = self.input[min(self.place, len(self.input) - 1)]
        if kind == 'token':
            if self.place >= len(self.input) or not self.fits(inner, token):
                raise SyntaxError
            self.place += 1
        elif kind == 'rule':
            self.read(self.rules[inner])
        elif kind == 'sequence':
            for one in inner:
                self.read(one)
        elif kind == 'choice':
            # A quoted word takes precedence over a name.
            fit = [one for one in inner if self.exactly(one, token)] or [one for one in inner if self.starts(one, token)]
            fit = fit or [one for one in inner if self.may_be_empty(one)]
            if not fit:
                raise SyntaxError
            self.read(fit[0])
        elif kind == 'option':
            if self.starts(inner, token):
                self.read(inner)
        else:
            while self.starts(inner, self.input[min(self.place, len(self.input) - 1)]) and self.place < len(self.input):
                self.read(inner)


def without_continuations(tokens):
    """A line continues in brackets, after a comma and after a binary operator."""
    found, depth = [], 0
    for place, token in enumerate(tokens):
        text = token[1]
        if text in ('(', '[', '{'):
            depth += 1
        elif text in (')', ']', '}'):
            depth = max(0, depth - 1)
        if text == '\n':
            if depth > 0 or (found and found[-1][1] in GOES_ON and tokens[place + 1][0] != '<EOF'):
                continue
            if not found or found[-1][1] == '\n':
                continue
        found.append(token)
    # The last line may end with the file.
    if len(found) > 1 and found[-1][0] == '<EOF' and found[-2][1] != '\n':
        found.insert(len(found) - 1, ('<NL', '\n'))
    return found


def change(tokens, dice, pool):
    tokens = list(tokens)
    for _ in range(dice.choice([1, 1, 2])):
        place = dice.randrange(max(1, len(tokens) - 1))
        what = dice.randrange(4)
        if what == 0:
            del tokens[place]
        elif what == 1:
            tokens.insert(place, dice.choice(pool))
        elif what == 2:
            tokens[place] = dice.choice(pool)
        else:
            other = dice.randrange(max(1, len(tokens) - 1))
            tokens[place], tokens[other] = tokens[other], tokens[place]
        if not tokens or tokens[-1][0] != '<EOF':
            tokens = [token for token in tokens if token[0] != '<EOF'] + [('<EOF', '')]
    return tokens


def text_of(tokens):
    return re.sub(' *\n *', '\n', ' '.join(token[1] for token in tokens))


def main():
    tooth, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    dice = random.Random(seed)
    here = os.path.dirname(os.path.abspath(__file__))
    grammar = Grammar(open(os.path.join(here, 'grammar.ebnf')).read())
    programs, pool = [], []
    while len(programs) < count:
        tokens = grammar.make(('rule', 'recipe'), dice, dice.choice([8, 12, 16, 20]))
        if not 2 <= len(tokens) <= 120:
            continue
        pool = (pool + tokens[:-1])[-2000:]
        if len(programs) % 2:
            tokens = change(tokens, dice, pool)
        programs.append((grammar.accepts(without_continuations(tokens)), text_of(tokens)))
    with tempfile.TemporaryDirectory() as folder:
        refused, beyond = {}, set()
        for start in range(0, count, 500):
            names = []
            for place in range(start, min(count, start + 500)):
                names.append(os.path.join(folder, '%d.ble' % place))
                open(names[-1], 'w').write(programs[place][1])
            result = subprocess.run([tooth, 'check', '--diagnostics', 'json'] + names, capture_output=True, text=True)
            for line in (result.stdout + result.stderr).splitlines():
                if not line.startswith('{'):
                    continue
                finding = json.loads(line)
                if finding.get('severity') == 'error' and finding['code'] < 'T040':
                    place = int(os.path.basename(finding['file'])[:-4])
                    refused.setdefault(place, (finding['code'], finding['message']))
                    if finding['code'] in BEYOND:
                        beyond.add(place)
    accepted = sum(1 for verdict, _ in programs if verdict)
    wrong = [(place, verdict, text) for place, (verdict, text) in enumerate(programs) if verdict == (place in refused) and not (verdict and place in beyond)]
    kinds = {}
    for place, verdict, text in wrong:
        kinds.setdefault((verdict, refused.get(place, ('', ''))[0], re.sub('`[^`]*`', '`…`', refused.get(place, ('', ''))[1])), []).append(text)
    for (verdict, code, message), texts in sorted(kinds.items(), key=lambda pair: -len(pair[1]))[:10]:
        print('%d times: the grammar %s, tooth %s %s' % (len(texts), 'accepts' if verdict else 'refuses', code or 'accepts', message))
        print(min(texts, key=len))
        print('---')
    print('%d programs, %d of them in the language, %d disagreements' % (count, accepted, len(wrong)))
    return 1 if wrong or accepted * 4 < count or accepted * 10 > count * 9 else 0


sys.exit(main())
