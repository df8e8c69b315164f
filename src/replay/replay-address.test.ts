import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseReplayAddress } from './replay-address.ts'
import { ReplayError } from './replay-error.ts'

describe('a replay address', () => {
  test.each([
    ['/web/20200131120000/http://a.org/x?y=1', '20200131120000', '', 'http://a.org/x?y=1'],
    ['/web/2020mp_/http://a.org/', '2020', 'mp_', 'http://a.org/'],
    ['/web/mp_/http://a.org/', '', 'mp_', 'http://a.org/'],
    ['/web/http://a.org/', '', '', 'http://a.org/'],
    ['/web/2id_/https://a.org/', '2', 'id_', 'https://a.org/'],
    ['/web/20200131120000123js_/https://a.org/', '20200131120000123', 'js_', 'https://a.org/'],
    ['/web/2020/http:/a.org/', '2020', '', 'http://a.org/'],
    ['/web/2020/https:////a.org/', '2020', '', 'https://a.org/'],
    ['/web/2020/a.org', '2020', '', 'http://a.org/'],
    ['/web/2020/http%3A%2F%2Fa.org%2Fx', '2020', '', 'http://a.org/x'],
    ['/web/2020/http://a.org/web/2019/http://b.org/', '2020', '', 'http://a.org/web/2019/http://b.org/'],
    ['/web/2020/http://a.org/?u=http://b.org/#x', '2020', '', 'http://a.org/?u=http://b.org/'],
  ])('%s', (target, digits, modifier, url) => {
    const address = parseReplayAddress(target)
    assert.deepEqual([address.digits, address.modifier, address.url.href], [digits, modifier, url])
  })

  test('a time cut short is a span, and asks for its end', () => {
    const { span } = parseReplayAddress('/web/2020/http://a.org/')
    assert.deepEqual(span, { fromMs: Date.UTC(2020, 0), toMs: Date.UTC(2021, 0) })
  })

  test('the policy is the last parameter, unless it is written as the URL’s own', () => {
    const ours = parseReplayAddress('/web/2020/http://a.org/?b=1&policy=not-newer')
    assert.deepEqual([ours.policy, ours.url.href], ['not-newer', 'http://a.org/?b=1'])
    const alone = parseReplayAddress('/web/2020/http://a.org/x?policy=not-newer')
    assert.deepEqual([alone.policy, alone.url.href], ['not-newer', 'http://a.org/x'])
    const theirs = parseReplayAddress('/web/2020/http://a.org/?policy%3Dnot-newer')
    assert.equal(theirs.policy, 'nearest')
  })

  test.each([
    ['/web/20201301/http://a.org/', 'replay-bad-time', /no such date/],
    ['/web/20200230120000/http://a.org/', 'replay-bad-time', /no such date/],
    ['/web/202001011200001234/http://a.org/', 'replay-bad-time', /1 to 14 digits/],
    ['/web/2020xx/http://a.org/', 'replay-bad-time', /"2020xx" is no time/],
    ['/web/2020zz_/http://a.org/', 'replay-bad-address', /"zz_" is no modifier.*id_/],
    ['/web/2020/', 'replay-bad-url', /looks like \/web\//],
    ['/web/2020/mailto:x@y.org', 'replay-bad-url', /only http and https/],
    ['/web/2020/http://a b/', 'replay-bad-url', /not valid/],
    ['/web/2020/http://a.org/?policy=oldest', 'replay-bad-policy', /policy=not-newer/],
    ['/else', 'replay-bad-address', /looks like/],
  ])('%s is refused with a sentence that helps', (target, code, sentence) => {
    assert.throws(
      () => parseReplayAddress(target),
      (error) => {
        assert.ok(error instanceof ReplayError)
        assert.equal(error.code, code)
        assert.match(error.message, sentence)
        return true
      },
    )
  })
})
