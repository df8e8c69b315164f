// What must hold of every digest, and of every text that claims to be one.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { base32Of, bytesOfBase32 } from './base32.ts'
import { DigestError, digestHex, digestOf, equalDigests, parseDigest, printDigest } from './digest.ts'

const digest = fc
  .record({ algorithm: fc.constantFrom('sha1', 'sha256'), content: fc.uint8Array() })
  .map(({ algorithm, content }) => digestOf(algorithm as 'sha1' | 'sha256', content))

export const properties = [
  {
    name: 'a digest is read back from every spelling',
    property: fc.property(digest, (original) => {
      const values = [digestHex(original), base32Of(original.bytes)]
      const labels = [
        original.algorithm,
        original.algorithm.replace('sha', 'sha-'),
        original.algorithm.toUpperCase(),
      ]
      const named = labels.flatMap((label) => values.map((value) => `${label}:${value}`))
      for (const text of [...values, ...named, printDigest(original)]) {
        for (const spelling of [text, text.toUpperCase(), text.toLowerCase()]) {
          assert.ok(equalDigests(parseDigest(spelling), original), spelling)
        }
      }
    }),
  },
  {
    name: 'a text is a digest of the right length, or refused with a DigestError',
    property: fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((rest) => `sha256:${rest}`),
      ),
      (text) => {
        try {
          const parsed = parseDigest(text)
          assert.equal(parsed.bytes.length, parsed.algorithm === 'sha1' ? 20 : 32)
        } catch (error) {
          assert.ok(error instanceof DigestError, `threw ${error}`)
        }
      },
    ),
  },
  {
    name: 'Base32 is read back',
    property: fc.property(fc.uint8Array(), (bytes) => {
      assert.deepEqual(bytesOfBase32(base32Of(bytes)), bytes)
    }),
  },
]
