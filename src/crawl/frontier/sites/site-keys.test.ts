import assert from 'node:assert/strict'
import { test } from 'vitest'
import { afterPrefix } from './site-keys.ts'

test('a key behind a prefix is behind all keys that start with it, also when it is all 0xff', () => {
  for (const bytes of [
    [1, 2],
    [1, 0xff],
    [0xff, 0xff],
  ]) {
    const prefix = Buffer.from(bytes)
    const bound = afterPrefix(prefix)
    assert(Buffer.compare(bound, prefix) > 0)
    assert(Buffer.compare(bound, Buffer.concat([prefix, Buffer.from('v'), Buffer.alloc(8, 0xff)])) > 0)
  }
})
