// What one would do with a raw stream of libp2p: bytes there and back, and bytes one way.

import type { RawStream } from './raw.ts'

/** Sends small messages and counts what comes back. */
export class RawEcho {
  readonly #stream: RawStream
  readonly #messageBytes: number
  #bytesBack = 0
  #wake = (): void => {}

  constructor(stream: RawStream, messageBytes: number) {
    this.#stream = stream
    this.#messageBytes = messageBytes
    stream.addEventListener('message', ({ data }) => {
      this.#bytesBack += data.byteLength
      this.#wake()
    })
  }

  async many(count: number, inFlightMax: number): Promise<void> {
    this.#bytesBack = 0
    let sent = 0
    while (this.#bytesBack < count * this.#messageBytes) {
      const answered = Math.floor(this.#bytesBack / this.#messageBytes)
      const room = Math.min(count - sent, inFlightMax - (sent - answered))
      if (room > 0) {
        sent += room
        // As many in one write as ours puts into one.
        this.#stream.send(new Uint8Array(room * this.#messageBytes))
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** Sends large messages, and is told of each that has come. */
export class RawSink {
  readonly #stream: RawStream
  readonly #inFlightMax: number
  #told = 0
  #wake = (): void => {}

  constructor(stream: RawStream, inFlightMax: number) {
    this.#stream = stream
    this.#inFlightMax = inFlightMax
    stream.addEventListener('message', ({ data }) => {
      this.#told += data.byteLength
      this.#wake()
    })
  }

  async many(count: number, bytes: Uint8Array): Promise<void> {
    this.#told = 0
    let sent = 0
    while (this.#told < count) {
      while (sent < count && sent - this.#told < this.#inFlightMax) {
        sent++
        this.#stream.send(bytes)
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
