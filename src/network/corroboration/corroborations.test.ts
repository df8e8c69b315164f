import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { parseUrl } from '../../model/url/url.ts'
import { silentLog } from '../../platform/log.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { signCaptures } from '../../proof/capture-signature.ts'
import { headDigestOf } from '../../proof/capture-statement.ts'
import {
  type Corroboration,
  decodeCorroborations,
  encodeCorroborations,
  lookAgainMsMax,
  signerOf,
} from '../../proof/corroboration.ts'
import { SigningKey } from '../../proof/ed25519.ts'
import { properties } from './corroboration-messages.fuzz.ts'
import { lookAnswer } from './corroboration-messages.ts'
import { Corroborations } from './corroborations.ts'
import { LookHandler } from './look-handler.ts'

const nowMs = Date.UTC(2030, 0)
const page = { url: 'http://a.test/', capturedAtMs: nowMs }
const key = new SigningKey(Buffer.alloc(32, 3))

function lookOf(facts: Partial<Corroboration['facts']> = {}): Corroboration {
  const whole = {
    ...{ url: page.url, capturedAtMs: nowMs + 5_000, headDigest: headDigestOf('head') },
    ...{ payloadDigest: `sha256:${'ab'.repeat(32)}`, address: '192.0.2.1', certificate: undefined },
    ...facts,
  }
  const [signed] = signCaptures(key, [{ facts: whole, isImported: false }], whole.capturedAtMs)
  return { facts: whole, signature: signed!.field, verdict: 'same' }
}

describe('what another peer saw', () => {
  test('comes back as it was kept, and is believed of who signed it', () => {
    const [look] = decodeCorroborations(encodeCorroborations([lookOf()]))!
    assert.deepEqual(Buffer.from(signerOf(look!, page)!), Buffer.from(key.publicKey))
  })

  test('is not believed of another page or time, nor with a fact changed', () => {
    const look = lookOf()
    const lies = [
      lookOf({ url: 'http://b.test/' }),
      lookOf({ capturedAtMs: nowMs + lookAgainMsMax + 1 }),
      { ...look, facts: { ...look.facts, payloadDigest: `sha256:${'cd'.repeat(32)}` } },
      { ...look, facts: { ...look.facts, address: '192.0.2.2' } },
      { ...look, signature: lookOf({ url: 'http://b.test/' }).signature },
      { ...look, signature: 'none' },
    ]
    for (const lie of lies) assert.equal(signerOf(lie, page), undefined)
  })

  test('is nothing where it cannot be read', () => {
    for (const text of ['', '{', '[]', '{"looks":5}', '{"looks":[null,{},{"url":1}]}'])
      assert.equal(decodeCorroborations(Buffer.from(text)), undefined, text)
  })
})

describe('second looks', () => {
  function looking(verdict: Corroboration['verdict']) {
    const { random } = simulatedWorld({ seed: 1 }).machine('a')
    const asked: string[] = []
    const kept: (readonly Corroboration[])[] = []
    const seen = { kind: 'seen', capturedAtMs: 1, head: new Uint8Array(), body: new Uint8Array() } as const
    const words = { payload: '', address: '', certificate: '', signature: '' }
    const corroborations = new Corroborations(
      {
        random,
        log: silentLog,
        calls: {
          bytesMax: 1e6,
          call: async (peer) => {
            asked.push(peer)
            return Uint8Array.from(lookAnswer.encode({ ...seen, ...words }))
          },
          answer: () => {},
        },
        witnesses: () => ['x', 'y', 'z'],
        inTurn: async (_, ask) => ask(),
        check: () => lookOf(),
        compare: async () => verdict,
        keep: async (_, looks) => void kept.push(looks),
      },
      1,
    )
    const consider = async () => {
      corroborations.consider({ url: parseUrl(page.url), capturedAtMs: nowMs, isPopular: false })
      for (let turn = 0; turn < 50; turn++) await Promise.resolve()
    }
    return { corroborations, asked, kept, consider }
  }

  test('ask one peer, and a second one where the first saw something else', async () => {
    const alike = looking('alike')
    await alike.consider()
    assert.deepEqual([alike.asked, alike.kept[0]?.length], [['x'], 1])
    const other = looking('other')
    await other.consider()
    assert.deepEqual([other.asked, other.kept[0]?.length], [['x', 'y'], 2])
    assert.equal(other.corroborations.status.other, 2)
  })

  test('are refused to who asks too often, and of a host that is asked too often', async () => {
    const { clock } = simulatedWorld({ seed: 1 }).machine('a')
    const handlers: ((from: string, bytes: Uint8Array, context: never) => unknown)[] = []
    let fetched = 0
    new LookHandler({
      clock,
      calls: {
        bytesMax: 1e6,
        call: async () => new Uint8Array(),
        answer: (one) => void handlers.push(one as never),
      },
      look: async () => {
        fetched++
        return { kind: 'failed', code: 'none' }
      },
    })
    const ask = (from: string, url: string) =>
      handlers[0]!(
        from,
        Uint8Array.from(Buffer.concat([Buffer.from([url.length]), Buffer.from(url)])),
        undefined as never,
      )
    for (let count = 0; count < 50; count++) await ask('b', 'http://one.test/')
    assert.equal(fetched, 2)
    for (let count = 0; count < 50; count++) await ask('b', `http://h${count}.test/`)
    assert(fetched <= 10, `${fetched}`)
    const before = fetched
    await ask('c', 'http://other.test/')
    assert.equal(fetched, before + 1)
  })
})

describe('messages', () => {
  for (const { name, property } of properties)
    test(name, () => fc.assert(property as fc.IProperty<unknown>, { numRuns: 50, seed: 1 }))
})
