import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Connection } from '../node.ts'
import { askReach } from './reach-calls.ts'

/** Reset by the other side as soon as it is open. */
class ResetStream extends EventTarget {
  send(): void {
    throw new Error('the stream was reset')
  }

  abort(): void {
    this.dispatchEvent(new Event('close'))
  }

  async close(): Promise<void> {}
}

test('a peer that resets the stream of a question before it is asked ends nothing', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  try {
    const connection = { newStream: async () => new ResetStream() } as unknown as Connection
    const asked = askReach(connection, { kind: 'seen' }, new AbortController().signal)
    await assert.rejects(asked, /the stream was reset/)
    // What nobody handles is told in a later turn.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  } finally {
    process.off('unhandledRejection', note)
  }
  assert.deepEqual(unhandled, [])
})
