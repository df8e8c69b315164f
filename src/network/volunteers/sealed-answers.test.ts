import assert from 'node:assert/strict'
import { test } from 'vitest'
import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import { parseUrl } from '../../model/url/url.ts'
import { signCaptures } from '../../proof/capture-signature.ts'
import { SigningKey } from '../../proof/ed25519.ts'
import { peerOfPublicKey } from '../membership/peer-key.ts'
import { fetchedOf, signedFacts } from './answer-check.ts'
import {
  type GivenAnswer,
  type GivenResponse,
  packAnswers,
  unpackAnswers,
  type WireAnswer,
} from './given-answers.ts'
import { sealed, unsealed } from './sealed-answers.ts'

const key = new SigningKey(Buffer.alloc(32, 1))
const peer = peerOfPublicKey(key.publicKey)!
const nowMs = 1_794_942_000_000
const hrefs = Array.from({ length: 16 }, (_, index) => `https://site.test/${index}`)
const by = { peer, prefix: '', sinceMs: nowMs, nowMs, endedAtMs: 0, wasConditional: false }

/** As bundle-run.ts makes them. */
function signedResponses(indexes: readonly number[], signer = key): GivenResponse[] {
  const unsigned = indexes.map((index) => ({
    ...{ kind: 'response' as const, index, capturedAtMs: nowMs + index, responseMs: 5, connectMs: undefined },
    head: Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX: ${index}\r\n\r\n`),
    body: Buffer.from(`page ${index}`),
    ...{ request: Buffer.from('GET / HTTP/1.1\r\n\r\n'), address: '192.0.2.1', protocols: ['http/1.1'] },
    ...{ certificate: undefined, truncated: undefined, tlsProblem: undefined },
  }))
  const captures = unsigned.map(({ index, head, body, capturedAtMs, request, protocols }) => ({
    facts: signedFacts({
      ...{ url: parseUrl(hrefs[index]!), capturedAtMs, block: Buffer.concat([head, body]), request },
      ...{ metadata: [], ipAddress: '192.0.2.1', protocols, certificate: undefined, truncated: undefined },
    }),
    isImported: false,
  }))
  const signed = signCaptures(signer, captures, nowMs + 100)
  return unsigned.map((response, place) => ({ ...response, signature: signed[place]!.field }))
}

const sent = (answers: readonly WireAnswer[]) => unpackAnswers(packAnswers(answers)!)
const refusalOf = (answer: GivenAnswer) =>
  fetchedOf(parseUrl(hrefs[answer.index]!), answer as GivenResponse, by)

test('what comes out of a seal is what was signed, text by text, and less was sent', () => {
  for (const indexes of [[0], [3, 1], [...hrefs.keys()]]) {
    const answers: GivenAnswer[] = signedResponses(indexes)
    if (indexes.length === 2) answers.splice(1, 0, { kind: 'untried', index: 7, why: 'time' })
    const packed = sealed(answers)!
    assert.ok(packed.every((answer) => answer.kind !== 'response' || answer.signature === ''))
    const given = unsealed(sent(packed), { peer, hrefs })
    assert.deepEqual(
      given.map((answer) => (answer.kind === 'response' ? answer.signature : answer.kind)),
      answers.map((answer) => (answer.kind === 'response' ? answer.signature : answer.kind)),
    )
    for (const answer of given)
      if (answer.kind === 'response') assert.notEqual(typeof refusalOf(answer), 'string')
    if (indexes.length === 16) assert.ok(packAnswers(packed)!.length < packAnswers(answers)!.length - 16 * 60)
  }
})

test('what was not signed together, or is not all there, has no seal', () => {
  const answers = signedResponses([0, 1, 2])
  assert.equal(sealed(answers.slice(1)), undefined)
  assert.equal(sealed(answers.toReversed()), undefined)
  assert.equal(sealed([...answers, ...signedResponses([3])]), undefined)
  assert.equal(sealed([{ kind: 'untried', index: 0, why: 'time' }]), undefined)
  assert.equal(sealed([{ ...answers[0]!, signature: 'no signature' }]), undefined)
})

test('answers without a seal are as they came', () => {
  const answers = signedResponses([0, 1])
  assert.deepEqual(unsealed(answers, { peer, hrefs }), answers)
})

test('a seal of other bytes, of another peer or of another page holds for nothing', () => {
  const packed = sealed(signedResponses([0, 1]))!
  const changed = packed.map((answer) =>
    answer.kind === 'response' && answer.index === 0 ? { ...answer, body: Buffer.from('forged') } : answer,
  )
  const lies = [
    unsealed(changed, { peer, hrefs }),
    unsealed(packed, { peer, hrefs: hrefs.toReversed() }),
    unsealed(sealed(signedResponses([0, 1], new SigningKey(Buffer.alloc(32, 2))))!, { peer, hrefs }),
    unsealed(packed.slice(1), { peer, hrefs }),
  ]
  for (const answers of lies)
    for (const answer of answers) assert.equal(refusalOf(answer), 'its signature does not hold')
})

test('a seal that can be of nothing is refused', () => {
  const packed = sealed(signedResponses([0, 1]))!
  const seal = packed.at(-1)!
  const [first, second] = packed as [GivenResponse, GivenResponse]
  const malformed: [WireAnswer[], string][] = [
    [[seal], peer],
    [[...packed, seal], peer],
    [packed, 'no peer'],
    [[{ ...first, index: 16 }, second, seal], peer],
    [[{ ...first, head: Buffer.from('no head') }, second, seal], peer],
    [[{ ...first, head: Buffer.of() }, second, seal], peer],
    [Array.from({ length: 16 }, (): WireAnswer => first).concat(second, seal), peer],
  ]
  for (const [answers, from] of malformed)
    assert.throws(() => unsealed(answers, { peer: from, hrefs }), MessageMalformed)
})
