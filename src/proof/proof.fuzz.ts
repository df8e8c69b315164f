import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import fc from 'fast-check'
import { holds, parseSignature, printSignature, signCaptures } from './capture-signature.ts'
import type { CapturedFacts } from './capture-statement.ts'
import { SigningKey } from './ed25519.ts'
import { decodeHead, encodeHead, isHeadSigned, signHead } from './log/log-head.ts'
import {
  areEqual,
  consistencyRanges,
  type Hash,
  inclusionRanges,
  isConsistent,
  leafHash,
  rangeHash,
  rootOf,
  rootOfPath,
} from './merkle-tree.ts'

const key = new SigningKey(Buffer.alloc(32, 7))
const leaves = Array.from({ length: 130 }, (_, index) => leafHash(Buffer.from(`entry ${index}`)))
const size = fc.integer({ min: 1, max: leaves.length })

/** Word by word as RFC 6962 2.1 has it. */
function naiveRoot(entries: readonly Hash[]): Hash {
  if (entries.length === 1) return entries[0]!
  const split = 2 ** Math.ceil(Math.log2(entries.length) - 1)
  const node = [Uint8Array.of(1), naiveRoot(entries.slice(0, split)), naiveRoot(entries.slice(split))]
  return hash('sha256', Buffer.concat(node), 'buffer')
}

/** RFC 6962 2.1.1. */
function naivePath(index: number, entries: readonly Hash[]): Hash[] {
  if (entries.length === 1) return []
  const split = 2 ** Math.ceil(Math.log2(entries.length) - 1)
  return index < split
    ? [...naivePath(index, entries.slice(0, split)), naiveRoot(entries.slice(split))]
    : [...naivePath(index - split, entries.slice(split)), naiveRoot(entries.slice(0, split))]
}

/** RFC 6962 2.1.2. */
function naiveConsistency(first: number, entries: readonly Hash[], isWhole = true): Hash[] {
  if (first === entries.length) return isWhole ? [] : [naiveRoot(entries)]
  const split = 2 ** Math.ceil(Math.log2(entries.length) - 1)
  return first <= split
    ? [...naiveConsistency(first, entries.slice(0, split), isWhole), naiveRoot(entries.slice(split))]
    : [...naiveConsistency(first - split, entries.slice(split), false), naiveRoot(entries.slice(0, split))]
}

function hashesOf(count: number, ranges: ReturnType<typeof inclusionRanges>): Hash[] {
  return ranges.map((range) => rangeHash(leaves.slice(0, count), range))
}

function flipped(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes)
  const place = bit % (copy.length * 8)
  copy[place >> 3]! ^= 1 << (place & 7)
  return copy
}

const text = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 })
const facts: fc.Arbitrary<CapturedFacts> = fc.record({
  url: text.map((path) => `https://a.test/${encodeURIComponent(path)}`),
  capturedAtMs: fc.integer({ min: 0, max: 4e12 }),
  headDigest: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  payloadDigest: fc.option(fc.constant(`sha256:${'ab'.repeat(32)}`), { nil: undefined }),
  address: fc.option(fc.constantFrom('192.0.2.1', '2001:db8::1'), { nil: undefined }),
  certificate: fc.option(fc.constant('cd'.repeat(32)), { nil: undefined }),
})
const batch = fc.array(fc.record({ facts, isImported: fc.boolean() }), { minLength: 1, maxLength: 16 })

export const properties = [
  {
    name: 'roots, paths and proofs are those of RFC 6962',
    property: fc.property(size, size, (one, other) => {
      const [first, second] = [Math.min(one, other), Math.max(one, other)]
      const entries = leaves.slice(0, second)
      assert.deepEqual(rootOf(entries), naiveRoot(entries))
      assert.deepEqual(hashesOf(second, inclusionRanges(first - 1, second)), naivePath(first - 1, entries))
      assert.deepEqual(hashesOf(second, consistencyRanges(first, second)), naiveConsistency(first, entries))
    }),
  },
  {
    name: 'a path proves its entry in its place, and nothing else',
    property: fc.property(size, fc.nat(), fc.nat(), (count, at, bit) => {
      const index = at % count
      const root = rootOf(leaves.slice(0, count))
      const path = hashesOf(count, inclusionRanges(index, count))
      assert.deepEqual(rootOfPath(leaves[index]!, index, count, path), root)
      const isRoot = (found: Hash | undefined) => found !== undefined && areEqual(found, root)
      assert(!isRoot(rootOfPath(flipped(leaves[index]!, bit), index, count, path)))
      for (const other of [index - 1, index + 1])
        assert(!isRoot(rootOfPath(leaves[index]!, other, count, path)))
      assert(!isRoot(rootOfPath(leaves[index]!, index, count, [...path, root])))
      if (path.length === 0) return
      assert(!isRoot(rootOfPath(leaves[index]!, index, count, path.slice(1))))
      const place = bit % path.length
      assert(!isRoot(rootOfPath(leaves[index]!, index, count, path.with(place, flipped(path[place]!, bit)))))
    }),
  },
  {
    name: 'a log goes on from its earlier heads, and from no others',
    property: fc.property(size, size, fc.nat(), (one, other, bit) => {
      const [first, second] = [Math.min(one, other), Math.max(one, other)]
      const head = (count: number) => ({ size: count, root: rootOf(leaves.slice(0, count)) })
      const proof = hashesOf(second, first === second ? [] : consistencyRanges(first, second))
      assert(isConsistent(head(first), head(second), proof))
      const forged = (count: number) => ({ size: count, root: flipped(head(count).root, bit) })
      assert(!isConsistent(forged(first), head(second), proof))
      assert(!isConsistent(head(first), forged(second), proof))
      assert(!isConsistent(head(first), head(second), [...proof, leaves[0]!]))
      if (first !== second) assert(!isConsistent(head(second), head(first), proof))
      if (proof.length === 0) return
      const place = bit % proof.length
      assert(!isConsistent(head(first), head(second), proof.with(place, flipped(proof[place]!, bit))))
    }),
  },
  {
    name: 'a signature holds for its capture only, and not with any bit of it changed',
    property: fc.property(batch, fc.integer({ min: 0, max: 2 ** 40 }), fc.nat(), (captures, atMs, at) => {
      const signed = signCaptures(key, captures, atMs)
      const place = at % captures.length
      const { facts: own } = captures[place]!
      const signature = parseSignature(signed[place]!.field)!
      assert(holds(signature, own))
      assert.equal(printSignature(signature), signed[place]!.field)
      const forged: Partial<CapturedFacts>[] = [
        { url: `${own.url}x` },
        { capturedAtMs: own.capturedAtMs + 1 },
        { headDigest: flipped(own.headDigest, at) },
        { address: own.address === undefined ? '192.0.2.9' : undefined },
        { certificate: own.certificate === undefined ? 'ab'.repeat(32) : undefined },
      ]
      if (own.payloadDigest !== undefined) forged.push({ payloadDigest: `sha256:${'ac'.repeat(32)}` })
      for (const lie of forged) assert(!holds(signature, { ...own, ...lie }), JSON.stringify(lie))
      const bytes = Buffer.from(signed[place]!.field, 'base64url')
      const spoilt = parseSignature(flipped(bytes, at).toString('base64url'))
      assert(spoilt === undefined || !holds(spoilt, own))
    }),
  },
  {
    name: 'a head is signed as a whole',
    property: fc.property(fc.nat(), fc.nat(), fc.nat(), (count, atMs, bit) => {
      const head = signHead(key, count, leaves[0]!, atMs)
      assert(isHeadSigned(head, key.publicKey))
      const spoilt = decodeHead(flipped(encodeHead(head), bit))
      assert(spoilt === undefined || !isHeadSigned(spoilt, key.publicKey))
    }),
  },
]
