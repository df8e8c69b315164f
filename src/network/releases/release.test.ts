import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Announcement } from '../announcements/announcement.ts'
import { networkNumber } from '../membership/fixtures/networks.ts'
import { NetworkReleases, releaseKind } from './network-releases.ts'
import {
  isLaterVersion,
  isOfNetwork,
  isReleasable,
  readRelease,
  signRelease,
  writeRelease,
} from './release.ts'

const { network, seed } = networkNumber(1)
const other = networkNumber(2)
const integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`
const release = signRelease(network, seed, { version: '1.2.3', integrity })

describe('a release', () => {
  test('is the word of one network, for one version and one package', () => {
    assert.equal(isOfNetwork(release, network), true)
    assert.equal(isOfNetwork(release, other.network), false)
    assert.equal(isOfNetwork(signRelease(network, other.seed, release), network), false)
    assert.equal(isOfNetwork({ ...release, version: '1.2.4' }, network), false)
    const another = `sha512-${Buffer.alloc(64, 8).toString('base64')}`
    assert.equal(isOfNetwork({ ...release, integrity: another }, network), false)
    assert.equal(isOfNetwork({ ...release, signature: 'short' }, network), false)
  })

  test('is read as it was written, and nothing else is', () => {
    assert.deepEqual(readRelease(writeRelease(release)), release)
    const bad = [
      { ...release, version: '1.2' },
      { ...release, version: '1.2.3 && rm -rf ~' },
      { ...release, version: '../1.2.3' },
      { ...release, version: '1.2.3-beta.1' },
      { ...release, integrity: 'sha1-AAAA' },
      { ...release, integrity: `${integrity} sha1-AAAA` },
      { ...release, more: 1 },
      { ...release, signature: 5 },
      [],
      null,
    ]
    for (const one of bad)
      assert.equal(readRelease(Buffer.from(JSON.stringify(one))), undefined, JSON.stringify(one))
    assert.equal(readRelease(Buffer.from('{')), undefined)
    assert.equal(readRelease(Buffer.alloc(100_000, 0x20)), undefined)
    assert.equal(isReleasable('1.2.3', integrity), true)
    assert.equal(isReleasable('1.2.3', 'sha512-x'), false)
  })
})

test('versions are compared by their numbers', () => {
  const later = [
    ['1.2.3', '1.2.2'],
    ['1.10.0', '1.9.9'],
    ['2.0.0', '1.99.99'],
    ['0.1.1', '0.1.0-dirty'],
  ] as const
  for (const [one, before] of later) {
    assert.equal(isLaterVersion(one, before), true, `${one} after ${before}`)
    assert.equal(isLaterVersion(before, one), false)
  }
  for (const same of ['1.2.3', 'x', '']) assert.equal(isLaterVersion(same, same), false)
  assert.equal(isLaterVersion('1.2.3', '1.2.3-beta'), false)
  assert.equal(isLaterVersion('9.9.9', 'no version'), false)
})

test('of a network the latest counts that its key has signed, whoever brings it', async () => {
  const words: Announcement[] = []
  let tell: (announcement: Announcement) => void = () => {}
  const bring = (from: string, value: Uint8Array): void => {
    const word = { kind: 'release', name: 'release', version: 1, peer: from, value, signature: Buffer.of() }
    assert.equal(releaseKind.fault(word), undefined)
    words.push(word)
    tell(word)
  }
  const announcements = {
    all: () => words,
    onChange: (listener: typeof tell) => {
      tell = listener
      return () => {}
    },
    put: async (_kind: string, _name: string, value: Uint8Array) => bring('self', value),
  }
  const releases = new NetworkReleases({ announcements, network, networkSeed: seed, self: 'self' })
  const latest = () => releases.latest?.version
  assert.equal(latest(), undefined)
  bring('liar', writeRelease(signRelease(network, other.seed, { version: '9.0.0', integrity })))
  assert.equal(latest(), undefined)
  await releases.release({ version: '1.2.3', integrity })
  assert.equal(latest(), '1.2.3')
  bring('late', writeRelease(signRelease(network, seed, { version: '1.0.0', integrity })))
  assert.equal(latest(), '1.2.3')
  const without = new NetworkReleases({ announcements, network, self: 'b' })
  assert.deepEqual([without.latest?.version, without.canRelease], ['1.2.3', false])
})
