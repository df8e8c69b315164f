// What others saw of a page, in proof files and in exports: as it was signed, or it does not hold.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Corroboration } from '../../proof/corroboration.ts'
import { checkProof } from '../../proof/proof-check.ts'
import { readProof } from '../../proof/proof-file.ts'
import type { Verified } from '../../verification/archive-verification.ts'
import { another, digestOf, look, ours, proven, witness } from './fixtures/seen-page.ts'

function failures({ steps }: { readonly steps: readonly { what: string; holds: boolean }[] }): string[] {
  return steps.filter(({ holds }) => !holds).map(({ what }) => what)
}

function failuresOfFile(file: readonly Verified[]): string[] {
  return file.flatMap((one) => (one.kind === 'problem' ? [one.what] : failures(one.proof)))
}

describe('what other peers saw', () => {
  test('is in proof files and exports, and told of who signed it', async () => {
    const { proof, seen, file } = await proven((nowMs) => [
      look(nowMs),
      look(nowMs, { payloadDigest: digestOf('another page') }, 'other', another),
    ])
    const checked = checkProof(proof)
    assert.deepEqual(failures(checked), [])
    const told = (looks: readonly { key: Uint8Array; verdict: string }[]) =>
      looks.map(({ key, verdict }) => [Buffer.from(key).toString('hex'), verdict])
    const expected = [
      [Buffer.from(witness.publicKey).toString('hex'), 'same'],
      [Buffer.from(another.publicKey).toString('hex'), 'other'],
    ]
    assert.deepEqual(told(checked.seen), expected)
    assert.deepEqual(failuresOfFile(file), [])
    const inFile = file.flatMap((one) => (one.kind === 'capture' ? one.proof.seen : []))
    assert.deepEqual([told(inFile), seen], [expected, 2])
  })

  test.each<[string, (nowMs: number) => Corroboration]>([
    ['what another page looked like', (nowMs) => look(nowMs, { url: 'http://b.test/' })],
    ['what it looked like a day before', (nowMs) => look(nowMs, { capturedAtMs: nowMs - 86_400_000 })],
    ['a made-up signature', (nowMs) => ({ ...look(nowMs), signature: 'none' })],
    [
      'somebody’s signature under other facts',
      (nowMs) => ({ ...look(nowMs), facts: { ...look(nowMs).facts, address: '192.0.2.9' } }),
    ],
    ['other bytes as the same', (nowMs) => look(nowMs, { payloadDigest: digestOf('another page') })],
    ['its own word as another’s', (nowMs) => look(nowMs, {}, 'same', ours)],
  ])('who captured the page cannot tell of it with %s', async (_, lie) => {
    const { proof, seen, file } = await proven((nowMs) => [lie(nowMs)])
    const checked = checkProof(proof)
    assert.deepEqual([failures(checked).length, checked.seen, seen], [1, [], 0])
    assert.equal(failuresOfFile(file).length, 1)
  })

  test('cannot be changed in a proof file, nor taken from another one', async () => {
    const { proof } = await proven((nowMs) => [look(nowMs, {}, 'alike')])
    const account = proof.seen!
    const payload = Buffer.from(account.payload, 'base64').toString()
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const flipped = (hex: string): string => (hex[0] === '0' ? '1' : '0') + hex.slice(1)
    const { signature } = account
    for (const [what, forged] of Object.entries({
      verdict: { ...account, payload: base64(payload.replace('"alike"', '"other"')) },
      nobody: { ...account, payload: base64('{"looks":[]}') },
      nonsense: { ...account, payload: base64('no account') },
      time: { ...account, statement: account.statement.replace('time 2', 'time 3') },
      signature: { ...account, signature: { ...signature, signature: flipped(signature.signature) } },
      key: { ...account, signature: { ...signature, key: flipped(signature.key) } },
      page: { ...proof, payload: proof.payload! },
    }))
      assert.notDeepEqual(failures(checkProof({ ...proof, seen: forged })), [], what)
    assert.deepEqual(failures(checkProof({ ...proof, seen: null })), [])
    assert.throws(() => readProof(JSON.stringify({ ...proof, seen: { statement: 5 } })), {
      code: 'proof-unreadable',
    })
  })
})
