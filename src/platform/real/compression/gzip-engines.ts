// Gzip for many small inputs: engines that are used again.
//
// zlib's one-shot functions make a stream and a quarter of a megabyte of state for every input, and the garbage collector
// clears them away (measured: storing pages of 19 kB takes a fifth less CPU with engines that are used again).
//
// Invariants: an engine works on one input at a time; one that failed is not used again; the bytes are those that
// gzipSync gives. Engines are bounded: who finds all at work waits, for there are fewer threads to run them.

import { constants, createGzip, type Gzip, type ZlibReset } from 'node:zlib'
import { JoiningMemory } from './joining-memory.ts'

/** Of each level. */
const enginesMax = 16
/** Most records come out in one piece. */
const chunkSize = 32 * 1024

export class GzipEngines {
  readonly #byLevel = new Map<number, LevelEngines>()

  get count(): number {
    let count = 0
    for (const engines of this.#byLevel.values()) count += engines.count
    return count
  }

  gzip(parts: readonly Uint8Array[], level: number): Promise<Buffer> {
    let engines = this.#byLevel.get(level)
    if (engines === undefined) this.#byLevel.set(level, (engines = new LevelEngines(level)))
    return engines.gzip(parts)
  }
}

class LevelEngines {
  readonly #level: number
  readonly #idle: GzipEngine[] = []
  readonly #waiting: ((engine: GzipEngine) => void)[] = []
  #count = 0

  constructor(level: number) {
    this.#level = level
  }

  get count(): number {
    return this.#count
  }

  async gzip(parts: readonly Uint8Array[]): Promise<Buffer> {
    const engine = this.#free() ?? (await new Promise<GzipEngine>((taken) => this.#waiting.push(taken)))
    try {
      const member = await engine.gzip(parts)
      this.#giveBack(engine)
      return member
    } catch (error) {
      engine.close()
      this.#giveBack(new GzipEngine(this.#level))
      throw error
    }
  }

  #free(): GzipEngine | undefined {
    if (this.#idle.length > 0 || this.#count === enginesMax) return this.#idle.pop()
    this.#count++
    return new GzipEngine(this.#level)
  }

  #giveBack(engine: GzipEngine): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#idle.push(engine)
    else next(engine)
  }
}

class GzipEngine {
  readonly #stream: Gzip & ZlibReset
  readonly #input = new JoiningMemory()
  #parts: Buffer[] = []

  constructor(level: number) {
    // Every write is a whole member: finished at its end, and the stream is set back for the next.
    this.#stream = createGzip({ level, chunkSize, flush: constants.Z_FINISH }) as Gzip & ZlibReset
    this.#stream.on('data', (part: Buffer) => this.#parts.push(part))
    // The write's callback has it, too.
    this.#stream.on('error', () => {})
  }

  gzip(parts: readonly Uint8Array[]): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#stream.write(this.#input.join(parts), (error) => {
        if (error) return reject(error)
        const parts = this.#parts
        this.#parts = []
        this.#stream.reset()
        resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts))
      })
    })
  }

  close(): void {
    this.#stream.close()
  }
}
