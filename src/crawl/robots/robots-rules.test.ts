import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { explainRobots } from './explain-robots.ts'
import { parseRobots, robotsBytesMax } from './robots-file.ts'
import { properties } from './robots-rules.fuzz.ts'
import { RobotsRules } from './robots-rules.ts'

/** A target, and the line of the rule that decides: positive for allowed, negative for disallowed, 0 for no rule. */
type Expected = Record<string, number>

interface GoldenCase {
  promise: string
  file: string
  agent?: string
  expected: Expected
}

const rfcSimple = [
  'User-Agent: *', // 1
  'Disallow: *.gif$', // 2
  'Disallow: /example/', // 3
  'Allow: /publications/', // 4
  '', // 5
  'User-Agent: foobot', // 6
  'Disallow:/', // 7
  'Allow:/example/page.html', // 8
  'Allow:/example/allowed.gif', // 9
  '', // 10
  'User-Agent: barbot', // 11
  'User-Agent: bazbot', // 12
  'Disallow: /example/page.html', // 13
  '', // 14
  'User-Agent: quxbot', // 15
  '', // 16
].join('\n')

const rfcLongest = [
  'User-Agent: foobot',
  'Allow: /example/page/',
  'Disallow: /example/page/disallowed.gif',
].join('\n')

const all = (...lines: string[]) => ['User-agent: *', ...lines].join('\n')

const groups: GoldenCase[] = [
  {
    promise: 'RFC 5.1: a crawler that no group names obeys the group for everyone',
    file: rfcSimple,
    agent: 'other',
    expected: {
      '/a.gif': -2,
      '/a.gif?x': 0,
      '/example/': -3,
      '/example/page.html': -3,
      '/publications/': 4,
      '/publications/a.gif': 4,
      '/': 0,
    },
  },
  {
    promise: 'RFC 5.1: a named one obeys its own group only',
    file: rfcSimple,
    agent: 'foobot',
    expected: { '/': -7, '/publications/': -7, '/example/page.html': 8, '/example/allowed.gif': 9 },
  },
  {
    promise: 'RFC 5.1: two user-agent lines share a group',
    file: rfcSimple,
    agent: 'barbot',
    expected: { '/example/page.html': -13, '/example/': 0, '/a.gif': 0 },
  },
  {
    promise: 'and the second one too',
    file: rfcSimple,
    agent: 'BazBot',
    expected: { '/example/page.html': -13 },
  },
  {
    promise: 'RFC 5.1: a group without rules allows everything',
    file: rfcSimple,
    agent: 'quxbot',
    expected: { '/example/page.html': 0, '/a.gif': 0 },
  },
  {
    promise: 'RFC 5.2: the longest match decides',
    file: rfcLongest,
    agent: 'foobot',
    expected: { '/example/page/': 2, '/example/page/disallowed.gif': -3, '/example/': 0 },
  },
  { promise: 'an empty file allows', file: '', expected: { '/': 0, '/a?b': 0 } },
  {
    promise: 'rules before any group are ignored',
    file: 'Disallow: /\nUser-agent: *\nDisallow: /a',
    expected: { '/': 0, '/a': -3 },
  },
  {
    promise: 'groups of one agent are merged',
    file: 'User-agent: me\nDisallow: /a\nUser-agent: *\nDisallow: /\nUser-agent: ME\nDisallow: /b',
    expected: { '/a': -2, '/b': -6, '/c': 0 },
  },
  {
    promise: 'groups for everyone as well',
    file: 'User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: *\nDisallow: /b',
    expected: { '/a': -2, '/b': -6, '/c': 0 },
  },
  {
    promise: 'the own group comes first wherever it stands',
    file: 'User-agent: me\nDisallow: /b\nUser-agent: *\nDisallow: /',
    expected: { '/a': 0, '/b': -2 },
  },
  {
    promise: 'version and comment after the token do not count',
    file: 'User-agent: Me/1.0 (x)\nDisallow: /',
    expected: { '/': -2 },
  },
  {
    promise: 'what the crawler sends may have a version too',
    file: 'User-agent: me\nDisallow: /',
    agent: 'Me/2.1 (+http://me.example/)',
    expected: { '/': -2 },
  },
  {
    promise: 'a longer token is another one',
    file: 'User-agent: me-news\nDisallow: /',
    expected: { '/': 0 },
  },
  { promise: 'a shorter token is another one', file: 'User-agent: m\nDisallow: /', expected: { '/': 0 } },
  {
    promise: 'a hyphen and an underscore belong to the token',
    file: 'User-agent: a_b-c\nDisallow: /',
    agent: 'A_B-C',
    expected: { '/': -2 },
  },
  { promise: 'digits do not', file: 'User-agent: me2\nDisallow: /', expected: { '/': -2 } },
  {
    promise: 'a line that names nobody still starts a group',
    file: 'User-agent: *\nAllow: /a\nUser-agent: 1\nDisallow: /',
    expected: { '/a': 2, '/b': 0 },
  },
  {
    promise: 'a star with more is not for everyone',
    file: 'User-agent: *bot\nDisallow: /',
    expected: { '/': 0 },
  },
  { promise: 'a star with a comment is', file: 'User-agent: * # all\nDisallow: /', expected: { '/': -2 } },
  {
    promise: 'an agent without a token hears the star only',
    file: 'User-agent: 1\nDisallow: /a\nUser-agent: *\nDisallow: /b',
    agent: '123',
    expected: { '/a': 0, '/b': -4 },
  },
  {
    promise: 'an empty rule ends the user-agent lines',
    file: 'User-agent: me\nDisallow:\nUser-agent: x\nDisallow: /',
    expected: { '/': 0 },
  },
  {
    promise: 'an empty line does not',
    file: 'User-agent: me\n\n\nUser-agent: x\n\nDisallow: /',
    expected: { '/': -6 },
  },
  {
    promise: 'a sitemap does not',
    file: 'User-agent: me\nSitemap: http://a/s\nUser-agent: x\nDisallow: /',
    expected: { '/': -4 },
  },
  {
    promise: 'a crawl-delay does not',
    file: 'User-agent: me\nCrawl-delay: 1\nUser-agent: x\nDisallow: /',
    expected: { '/': -4 },
  },
  {
    promise: 'an unknown line does not end a group',
    file: all('Disallow: /a', 'Host: x', 'nonsense', 'Clean-param: y /z', 'Disallow: /b'),
    expected: { '/a': -2, '/b': -6 },
  },
]

const lines: GoldenCase[] = [
  {
    promise: 'a byte order mark is skipped',
    file: '\ufeffUser-agent: *\nDisallow: /',
    expected: { '/': -2 },
  },
  {
    promise: 'lines end in CR LF',
    file: 'User-agent: *\r\nDisallow: /a\r\n\r\nDisallow: /b',
    expected: { '/a': -2, '/b': -4 },
  },
  { promise: 'in CR', file: 'User-agent: *\rDisallow: /a\r\rDisallow: /b', expected: { '/a': -2, '/b': -4 } },
  {
    promise: 'in anything mixed',
    file: 'User-agent: *\n\rDisallow: /a\r\n\nDisallow: /b',
    expected: { '/a': -3, '/b': -5 },
  },
  {
    promise: 'names have any case',
    file: 'USER-AGENT: *\ndisALLOW: /a\naLLow: /a/b',
    expected: { '/a': -2, '/a/b': 3 },
  },
  {
    promise: 'blanks around name and value go',
    file: ' \tUser-agent \t:\t * \n\t Disallow\t : \t/a \t',
    expected: { '/a': -2 },
  },
  {
    promise: 'comments go, with the blanks before',
    file: '# hi\nUser-agent: *#x\nDisallow: /a # b\n#Disallow: /c',
    expected: { '/a': -3, '/c': 0 },
  },
  {
    promise: 'a line without a colon counts',
    file: 'User-agent *\ndisallow\t /a\nAllow /a/b',
    expected: { '/a': -2, '/a/b': 3, '/c': 0 },
  },
  {
    promise: 'unless it has more words',
    file: 'User-agent: *\nDisallow /a /b\nplease disallow all',
    expected: { '/a': 0 },
  },
  {
    promise: 'what forbids counts in its common misspellings',
    file: all(
      'Dissallow: /a',
      'DISALOW: /b',
      'diasllow: /c',
      'Disallaw: /d',
      'dissalow: /e',
      'Disallowed: /f',
    ),
    expected: { '/a': -2, '/b': -3, '/c': -4, '/d': -5, '/e': -6, '/f': -7 },
  },
  {
    promise: 'what permits does not, nor what only looks like either',
    file: all('Disallow: /', 'Alow: /a', 'Allowed: /b', 'Dis-allow: /c'),
    expected: { '/a': -2, '/b': -2 },
  },
  { promise: 'a misspelt user-agent counts', file: 'Useragent: *\nDisallow: /', expected: { '/': -2 } },
  { promise: 'with a blank in it too', file: 'User Agent: *\nDisallow: /', expected: { '/': -2 } },
  {
    promise: 'octets compare equal however they are written, in the cases of google/robotstxt (ID_Encoding)',
    file: all(
      'Disallow: /',
      'Allow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par',
      'Allow: /foo/bar/ツ',
      'Allow: /foo/zoo/%E3%83%84',
      'Allow: /foo/bar/%62%61%7A',
    ),
    expected: {
      '/foo/bar?qux=taz&baz=http://foo.bar?tar&par': 3,
      '/foo/bar/%E3%83%84': 4,
      '/foo/bar/ツ': 4,
      '/foo/zoo/%E3%83%84': 5,
      '/foo/zoo/ツ': 5,
      '/foo/bar/baz': 6,
      '/foo/bar/%62%61%7A': 6,
    },
  },
  {
    promise: 'an empty Disallow is no rule',
    file: all('Disallow:', 'Disallow: # nothing'),
    expected: { '/': 0, '/a': 0 },
  },
  { promise: 'an empty Allow neither', file: all('Allow:', 'Disallow: /'), expected: { '/': -3 } },
  { promise: 'a colon in the value stays', file: all('Disallow: /a:b'), expected: { '/a:b': -2, '/a': 0 } },
  {
    promise: 'HTML in its place says nothing',
    file: '<!DOCTYPE html><p>User-agent: *<p>Disallow: /',
    expected: { '/': 0 },
  },
  {
    promise: 'NUL is an octet like any other',
    file: 'User-agent: *\nDisallow: /a\0b',
    expected: { '/a': 0, '/a%00b': -2 },
  },
]

const matching: GoldenCase[] = [
  {
    promise: 'a path is a prefix',
    file: all('Disallow: /fish'),
    expected: { '/fish': -2, '/fish.html': -2, '/fish/salmon': -2, '/fishheads/y?z': -2, '/fish?id=1': -2 },
  },
  {
    promise: 'from the first octet, with its case',
    file: all('Disallow: /fish'),
    expected: { '/Fish.asp': 0, '/catfish': 0, '/?id=fish': 0, '/desert/fish': 0 },
  },
  {
    promise: 'a final star changes nothing',
    file: all('Disallow: /fish*'),
    expected: { '/fish': -2, '/fishheads': -2, '/Fish': 0, '/catfish': 0 },
  },
  {
    promise: 'a final slash does',
    file: all('Disallow: /fish/'),
    expected: { '/fish/': -2, '/fish/?id=1': -2, '/fish/a.htm': -2, '/fish': 0, '/fish.html': 0 },
  },
  {
    promise: 'a star in the middle',
    file: all('Disallow: /*.php'),
    expected: { '/index.php': -2, '/a/b.php?x': -2, '/.php/': -2, '/a.phpx': -2, '/': 0, '/windows.PHP': 0 },
  },
  {
    promise: 'a star and the end',
    file: all('Disallow: /*.php$'),
    expected: { '/a.php': -2, '/a/b.php': -2, '/a.php?x': 0, '/a.php/': 0, '/a.php5': 0, '/a.php/b.php': -2 },
  },
  {
    promise: 'a piece, a star, a piece',
    file: all('Disallow: /fish*.php'),
    expected: { '/fish.php': -2, '/fishheads/cat.php?p': -2, '/Fish.PHP': 0 },
  },
  {
    promise: 'only the root',
    file: all('Disallow: /', 'Allow: /$'),
    expected: { '/': 3, '/a': -2, '/?': -2 },
  },
  {
    promise: 'exactly that path',
    file: all('Disallow: /a$'),
    expected: { '/a': -2, '/a/': 0, '/a?': 0, '/ab': 0 },
  },
  {
    promise: 'a dollar elsewhere is itself',
    file: all('Disallow: /a$b'),
    expected: { '/a$b': -2, '/a$bc': -2, '/a': 0, '/ab': 0 },
  },
  {
    promise: 'stars in a row are one',
    file: all('Disallow: /a***b'),
    expected: { '/ab': -2, '/axb': -2, '/a': 0 },
  },
  {
    promise: 'a star may come first',
    file: all('Disallow: *private'),
    expected: { '/private': -2, '/a/private/b': -2, '/priv': 0 },
  },
  { promise: 'a star alone is everything', file: all('Disallow: *'), expected: { '/': -2, '/a?b': -2 } },
  { promise: 'everything up to the end', file: all('Disallow: /*$'), expected: { '/': -2, '/a?b': -2 } },
  {
    promise: 'pieces do not overlap',
    file: all('Disallow: /aba*aba$'),
    expected: { '/aba': 0, '/ababa': 0, '/abaaba': -2, '/abaxaba': -2 },
  },
  {
    promise: 'the last piece is sought at the end',
    file: all('Disallow: /*ab$'),
    expected: { '/abab': -2, '/aba': 0 },
  },
  {
    promise: 'a path without a slash matches nothing',
    file: all('Disallow: fish'),
    expected: { '/fish': 0, '/': 0 },
  },
  {
    promise: 'the longer one wins, Allow',
    file: all('Allow: /p', 'Disallow: /'),
    expected: { '/page': 2, '/x': -3 },
  },
  {
    promise: 'the longer one wins, Disallow',
    file: all('Disallow: /folder/a', 'Allow: /folder/'),
    expected: { '/folder/a': -2, '/folder/b': 3 },
  },
  {
    promise: 'equally long: Allow',
    file: all('Disallow: /folder', 'Allow: /folder'),
    expected: { '/folder/page': 3 },
  },
  {
    promise: 'stars count as octets',
    file: all('Allow: /page', 'Disallow: /*.htm'),
    expected: { '/page.htm': -3 },
  },
  {
    promise: 'equally long with a star: Allow',
    file: all('Disallow: /*.ph', 'Allow: /page'),
    expected: { '/page.php5': 3 },
  },
  {
    promise: 'the end counts as well',
    file: all('Disallow: /a', 'Allow: /a$'),
    expected: { '/a': 3, '/ab': -2 },
  },
  {
    promise: 'the order does not matter',
    file: all('Allow: /a/b/c', 'Disallow: /a', 'Allow: /a/b', 'Disallow: /a/b/c/d'),
    expected: { '/a': -3, '/a/b': 4, '/a/b/c': 2, '/a/b/c/d': -5 },
  },
  {
    promise: 'octets count, not letters',
    file: all('Disallow: /ツツ', 'Allow: /*abcd'),
    expected: { '/%E3%83%84%E3%83%84abcd': -2 },
  },
  {
    promise: '/robots.txt is always allowed',
    file: all('Disallow: /'),
    expected: { '/robots.txt': 0, '/robots.txt.bak': -2, '/a/robots.txt': -2 },
  },
  {
    promise: 'the query is part of what is matched',
    file: all('Disallow: /*?*sid='),
    expected: { '/a?sid=1': -2, '/a?b=1&sid=2': -2, '/a/sid=1': 0 },
  },
  { promise: 'an empty query is one', file: all('Disallow: /*?'), expected: { '/a?': -2, '/a': 0 } },
]

const encoding: GoldenCase[] = [
  {
    promise: 'RFC 2.2.2: plain',
    file: all('Disallow: /foo/bar?baz=quz'),
    expected: { '/foo/bar?baz=quz': -2, '/foo/bar%3Fbaz=quz': 0, '/foo/bar?baz%3Dquz': 0 },
  },
  {
    promise: 'RFC 2.2.2: a URL in a query, plain in the rule',
    file: all('Disallow: /foo/bar?baz=https://foo.bar'),
    expected: {
      '/foo/bar?baz=https://foo.bar': -2,
      '/foo/bar?baz=https%3A%2F%2Ffoo.bar': -2,
      '/foo/bar?baz=https%3a%2f%2ffoo.bar': -2,
    },
  },
  {
    promise: 'RFC 2.2.2: a URL in a query, encoded in the rule',
    file: all('Disallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar'),
    expected: { '/foo/bar?baz=https://foo.bar': -2, '/foo/bar?baz=https%3A%2F%2Ffoo.bar': -2 },
  },
  {
    promise: 'where a star hides the question mark, too',
    file: all('Disallow: /*u=http%3A%2F%2F'),
    expected: { '/go?u=http://x': -2, '/go?u=http%3A%2F%2Fx': -2, '/u=http://x': 0 },
  },
  {
    promise: 'and plain',
    file: all('Disallow: /*u=http://'),
    expected: { '/go?u=http://x': -2, '/go?u=http%3A%2F%2Fx': -2 },
  },
  {
    promise: 'RFC 2.2.2: letters beyond ASCII',
    file: all('Disallow: /foo/bar/ツ'),
    expected: { '/foo/bar/%E3%83%84': -2, '/foo/bar/%e3%83%84': -2, '/foo/bar/ツ': -2 },
  },
  {
    promise: 'RFC 2.2.2: encoded in the rule',
    file: all('Disallow: /foo/bar/%E3%83%84'),
    expected: { '/foo/bar/%E3%83%84': -2, '/foo/bar/ツ': -2, '/foo/bar/%E3%83': 0 },
  },
  {
    promise: 'RFC 2.2.2: unreserved characters, encoded in the rule',
    file: all('Disallow: /foo/bar/%62%61%7A'),
    expected: { '/foo/bar/baz': -2, '/foo/bar/%62%61%7A': -2 },
  },
  {
    promise: 'unreserved characters, encoded in the URL',
    file: all('Disallow: /~joe/'),
    expected: { '/%7Ejoe/': -2, '/%7ejoe/index': -2, '/~joe/': -2 },
  },
  {
    promise: 'an encoded slash is no slash',
    file: all('Disallow: /a%2Fb'),
    expected: { '/a%2fb': -2, '/a/b': 0 },
  },
  {
    promise: 'a slash is no encoded slash',
    file: all('Disallow: /a/b'),
    expected: { '/a/b': -2, '/a%2Fb': 0 },
  },
  {
    promise: 'RFC 2.2.3: an encoded star is a star',
    file: all('Disallow: /path/file-with-a-%2A.html'),
    expected: {
      '/path/file-with-a-*.html': -2,
      '/path/file-with-a-%2a.html': -2,
      '/path/file-with-a-b.html': 0,
    },
  },
  {
    promise: 'RFC 2.2.3: an encoded dollar is a dollar',
    file: all('Disallow: /path/foo-%24'),
    expected: { '/path/foo-$': -2, '/path/foo-$x': -2, '/path/foo-': 0 },
  },
  {
    promise: 'an encoded hash is a hash',
    file: all('Disallow: /a%23b'),
    expected: { '/a%23b': -2, '/a': 0 },
  },
  {
    promise: 'other reserved characters in both spellings',
    file: all('Disallow: /a,b;c@d'),
    expected: { '/a%2Cb%3Bc%40d': -2, '/a,b;c@d': -2 },
  },
  {
    promise: 'equivalent rules are equally long',
    file: all('Disallow: /a@b', 'Allow: /a%40b'),
    expected: { '/a@b': 3 },
  },
  { promise: 'a space in the rule', file: all('Disallow: /a b'), expected: { '/a%20b': -2, '/a+b': 0 } },
  {
    promise: 'a percent that encodes nothing',
    file: all('Disallow: /100%'),
    expected: { '/100%': -2, '/100%25': -2, '/100': 0 },
  },
  {
    promise: 'octets that are no UTF-8',
    file: 'User-agent: *\nDisallow: /%FF',
    expected: { '/%ff': -2, '/%FE': 0 },
  },
  {
    promise: 'a letter that ends in an octet like a space',
    file: all('Disallow: /voilà'),
    expected: { '/voil%C3%A0': -2, '/voil%C3': 0 },
  },
]

const encoder = new TextEncoder()

function lineDeciding(file: string, agent: string, target: string): number {
  const { isAllowed, rule } = new RobotsRules(parseRobots(encoder.encode(file)), agent).verdictOn(target)
  return (rule?.line ?? 0) * (isAllowed ? 1 : -1) || 0
}

for (const [title, cases] of Object.entries({ groups, lines, matching, encoding })) {
  describe(title, () => {
    for (const { promise, file, agent = 'me', expected } of cases) {
      test(promise, () => {
        const found = Object.keys(expected).map((target) => [target, lineDeciding(file, agent, target)])
        assert.deepEqual(Object.fromEntries(found), expected)
      })
    }
  })
}

describe('what else a file says', () => {
  const read = (file: string) => new RobotsRules(parseRobots(encoder.encode(file)), 'me')

  test('sitemaps stand anywhere and are for everyone', () => {
    const file =
      'Sitemap: http://a/1\nUser-agent: x\nSITEMAP:http://a/2 # two\nDisallow: /\nsitemap:\nSitemap: /é'
    assert.deepEqual(read(file).sitemaps, ['http://a/1', 'http://a/2', '/é'])
  })

  test('a crawl-delay is kept per group, in milliseconds, the longest of several', () => {
    const file =
      'Crawl-delay: 99\nUser-agent: me\nCrawl-delay: 1.5\nUser-agent: *\nDisallow: /\nCrawl-delay: 0.25\n'
    assert.equal(read(file).crawlDelayMs, 1_500)
    assert.equal(read('User-agent: *\nCrawl-delay: 2\nUser-agent: me\nAllow: /').crawlDelayMs, 2_000)
    assert.equal(
      read('User-agent: *\nAllow: /\nCrawl-delay: 7\nUser-agent: me\nAllow: /').crawlDelayMs,
      undefined,
    )
    assert.equal(read('User-agent: me\nAllow: /\nUser-agent: me\nCrawl-delay: .5').crawlDelayMs, 500)
  })

  test('a crawl-delay that is no number is none', () => {
    for (const value of ['', '-1', 'ten', '1e9', '1 s', 'Infinity', '0x10']) {
      assert.equal(read(`User-agent: *\nCrawl-delay: ${value}`).crawlDelayMs, undefined, value)
    }
  })

  test('a crawl-delay beyond all numbers is a very long one', () => {
    for (const digits of [16, 20, 400]) {
      const { crawlDelayMs } = read(`User-agent: *\nCrawl-delay: ${'9'.repeat(digits)}`)
      assert.ok(Number.isSafeInteger(crawlDelayMs) && crawlDelayMs! > 1e15, `${digits} digits`)
    }
  })

  test('500 KiB are read, up to the last whole line', () => {
    const start = 'User-agent: *\nDisallow: /a\n'
    const rule = 'Disallow: /b'
    const fill = '#'.repeat(robotsBytesMax - start.length - rule.length - 2)
    const whole = `${start}${fill}\n${rule}\n`
    assert.equal(whole.length, robotsBytesMax)
    assert.equal(lineDeciding(whole, 'me', '/b'), -4)
    assert.equal(lineDeciding(`${whole}Disallow: /c`, 'me', '/b'), -4)
    assert.equal(lineDeciding(`${whole}Disallow: /c`, 'me', '/c'), 0)
    assert.equal(lineDeciding(`${start}#${fill}\n${rule}123`, 'me', '/b'), 0)
    assert.equal(lineDeciding(`${start}#${fill}\n${rule}123`, 'me', '/a'), -2)
    assert.equal(parseRobots(encoder.encode(whole)).isCut, false)
    assert.equal(parseRobots(encoder.encode(`${whole}x`)).isCut, true)
  })

  test('the explanation names rule, line and groups', () => {
    const file = encoder.encode(
      'User-agent: Me\nDisallow: /a*\n\nUser-agent: you\nUser-agent: me\nCrawl-delay: 3',
    )
    assert.deepEqual(explainRobots(file, 'Me/1.0', 'http://example.com/a/b#c'), {
      isAllowed: false,
      rule: { kind: 'disallow', text: '/a*', line: 2 },
      group: { agent: 'me', lines: [1, 4] },
      token: 'me',
      crawlDelayMs: 3_000,
      sitemaps: [],
      isCut: false,
    })
    const { group, rule, isAllowed } = explainRobots(file, 'other', 'http://example.com/a/b')
    assert.deepEqual({ group, rule, isAllowed }, { group: undefined, rule: undefined, isAllowed: true })
  })
})

describe('hostile files', () => {
  const target = `/${'a'.repeat(8_000)}`

  test.for([
    ['stars without end', `/${'*a'.repeat(200_000)}b`],
    ['one long piece that nearly fits everywhere', `/*${'a'.repeat(4_000)}b*${'a'.repeat(4_000)}c`],
    ['only stars', '*'.repeat(400_000)],
    ['blanks without end', `/a${' \t'.repeat(200_000)}b`],
  ])('%s', ([, pattern]) => {
    const rules = new RobotsRules(parseRobots(encoder.encode(all(`Disallow: ${pattern}`))), 'me')
    for (let i = 0; i < 20; i += 1) rules.verdictOn(target)
  })

  test('as many rules as fit', () => {
    const rules = new RobotsRules(parseRobots(encoder.encode(all(...Array(40_000).fill('Allow:/*b$')))), 'me')
    assert.equal(rules.verdictOn(target).isAllowed, true)
  })

  test('as many groups as fit', () => {
    const file = parseRobots(encoder.encode('user-agent:me\nallow:/\n'.repeat(22_000)))
    assert.equal(new RobotsRules(file, 'me').group?.lines.length, 22_000)
  })
})

describe('properties', () => {
  for (const { name, property } of properties) {
    test(name, () => fc.assert(property as fc.IProperty<unknown>, { numRuns: 200, seed: 9309 }))
  }
})
