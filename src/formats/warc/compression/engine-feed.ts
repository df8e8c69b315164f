// Runs chunks through a stream of node:zlib, in step with the consumer: nothing is compressed or decompressed
// further ahead than the stream's own buffers, however large the result.

import type { Transform } from 'node:stream'

/** What the engine makes of the chunks. Ends when the engine does, which may be before the chunks end. */
export async function* feed(engine: Transform, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let failure: { error: unknown } | undefined
  const feeding = write(engine, chunks).catch((error: unknown) => {
    failure = { error }
    engine.destroy()
  })
  try {
    for await (const chunk of engine) yield chunk
  } catch (error) {
    // Destroying the engine ends it with an error of its own; the cause is the chunks'.
    throw failure === undefined ? error : failure.error
  } finally {
    engine.destroy()
    await feeding
  }
  if (failure !== undefined) throw failure.error
}

async function write(engine: Transform, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    if (engine.destroyed || engine.readableEnded) return
    await new Promise<void>((resolve) => {
      engine.once('close', resolve)
      engine.write(chunk, () => {
        engine.off('close', resolve)
        resolve()
      })
    })
    if (engine.destroyed) return
  }
  engine.end()
}
