// A body as it comes in: in memory while it is small, in a file of the spool folder once it is not.
//
// Invariants: memory holds at most memoryBytesMax and what waits to be written, which the sender is asked to keep below
// waitingBytesMax. A body is finished or discarded, once; a discarded one leaves no file.

import { Digester } from '../../../model/digest.ts'
import type { SpooledBody, WebBody } from '../../network/web.ts'
import type { Disk, DiskFile } from '../../storage/disk.ts'

const waitingBytesMax = 1024 * 1024
const readBytes = 256 * 1024

interface BodyNeeds {
  readonly disk: Disk
  /** For a file that does not exist yet. */
  newSpoolPath(): string
}

export class IncomingBody {
  readonly #needs: BodyNeeds
  readonly #memoryBytesMax: number
  #parts: Uint8Array[] = []
  #length = 0
  #spool: Spool | undefined

  constructor(needs: BodyNeeds, memoryBytesMax: number) {
    this.#needs = needs
    this.#memoryBytesMax = memoryBytesMax
  }

  get length(): number {
    return this.#length
  }

  /** undefined when more may come at once, else a promise to wait for. That rejects when the disk fails. */
  push(chunk: Uint8Array): Promise<void> | undefined {
    this.#length += chunk.length
    this.#parts.push(chunk)
    if (this.#spool === undefined && this.#length <= this.#memoryBytesMax) return undefined
    this.#spool ??= new Spool(this.#needs)
    const parts = this.#parts
    this.#parts = []
    return this.#spool.push(parts)
  }

  async finish(): Promise<WebBody> {
    if (this.#spool !== undefined) return await this.#spool.finish()
    return { kind: 'memory', length: this.#length, parts: this.#parts }
  }

  async discard(): Promise<void> {
    this.#parts = []
    await this.#spool?.discard()
  }
}

class Spool {
  readonly #needs: BodyNeeds
  readonly #path: string
  readonly #digester = new Digester('sha256')
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #writtenBytes = 0
  #file: DiskFile | undefined
  #writing: Promise<void> | undefined
  #failure: { error: unknown } | undefined

  constructor(needs: BodyNeeds) {
    this.#needs = needs
    this.#path = needs.newSpoolPath()
  }

  push(parts: readonly Uint8Array[]): Promise<void> | undefined {
    for (const part of parts) {
      this.#digester.update(part)
      this.#waiting.push(part)
      this.#waitingBytes += part.length
    }
    if (this.#failure === undefined) this.#writing ??= this.#writeAll()
    return this.#failure === undefined && this.#waitingBytes < waitingBytesMax ? undefined : this.#settled()
  }

  async finish(): Promise<SpooledBody> {
    try {
      await this.#settled()
    } catch (error) {
      await this.discard()
      throw error
    }
    return spooledBody(this.#needs.disk, this.#file!, this.#writtenBytes, this.#digester.finish())
  }

  async discard(): Promise<void> {
    this.#waiting = []
    await this.#writing
    if (this.#file !== undefined) await removeFile(this.#needs.disk, this.#file)
  }

  async #settled(): Promise<void> {
    await this.#writing
    if (this.#failure !== undefined) throw this.#failure.error
  }

  async #writeAll(): Promise<void> {
    try {
      this.#file ??= await this.#needs.disk.open(this.#path, 'create')
      while (this.#waiting.length > 0) {
        const [parts, bytes] = [this.#waiting, this.#waitingBytes]
        this.#waiting = []
        this.#waitingBytes = 0
        await this.#file.write(this.#writtenBytes, ...parts)
        this.#writtenBytes += bytes
      }
    } catch (error) {
      this.#failure = { error }
    }
    this.#writing = undefined
  }
}

function spooledBody(disk: Disk, file: DiskFile, length: number, digest: SpooledBody['digest']): SpooledBody {
  let removal: Promise<void> | undefined
  return {
    kind: 'spooled',
    length,
    digest,
    async *chunks() {
      for (let position = 0; position < length; position += readBytes) {
        yield await file.read(position, Math.min(readBytes, length - position))
      }
    },
    remove: () => (removal ??= removeFile(disk, file)),
  }
}

async function removeFile(disk: Disk, file: DiskFile): Promise<void> {
  await file.close()
  await disk.remove(file.path)
}
