// Anchors of a log: heads put where this peer cannot change them afterwards: in a file of the owner's choice, which may lie on another
// machine, as e-mail in the pickup folder of a mail server, and with a time stamping authority (RFC 3161). Whoever has one can have it shown that the log goes on from it
// (/api/v1/log/consistency).
//
//   anchors/SIZE.head      the head as it was stamped: size (8), time (8), root (32), signature (64)
//   anchors/SIZE.head.tsr  what the authority answered, for `openssl ts -verify -data SIZE.head -in SIZE.head.tsr -CAfile …`
//
// An anchor that cannot be had keeps nobody from anything: it is tried again the next time, and told.

import { join } from 'node:path'
import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Random } from '../../platform/random.ts'
import { encodeHead, type LogHead } from '../log/log-head.ts'
import { headMail } from './head-mail.ts'
import { timestampIn, timestampQuery } from './timestamp-query.ts'

export interface AnchorPlaces {
  /** Lines are appended; undefined: no file. */
  readonly file?: string | undefined
  /** Messages are put into this folder, for this address; undefined: none are. */
  readonly mail?: { readonly folder: string; readonly to: string } | undefined
  /** Of an authority; undefined: none is asked. */
  readonly url?: string | undefined
  readonly everyMs: number
}

interface Needs {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly publicKey: Uint8Array
  /** Where stamps are kept. */
  readonly folder: string
  head(): Promise<LogHead | undefined>
  append(file: string, line: string): Promise<void>
  write(file: string, bytes: Uint8Array): Promise<void>
  /** Posts a question, and gives the answer. Throws a PolyhistorError. */
  post(url: string, contentType: string, bytes: Uint8Array): Promise<Uint8Array>
}

const nonceBytes = 8
const firstMs = 90_000

export class HeadAnchors {
  readonly #needs: Needs
  readonly #places: AnchorPlaces
  readonly #task: PeriodicTask
  #anchored: number | undefined
  #lack: string | undefined

  constructor(needs: Needs, places: AnchorPlaces) {
    this.#needs = needs
    this.#places = places
    this.#task = new PeriodicTask(needs, places.everyMs, () => this.anchor(), {
      firstMs: Math.min(firstMs, places.everyMs),
    })
  }

  /** Why the last one could not be had. */
  get lack(): string | undefined {
    return this.#lack
  }

  async anchor(): Promise<void> {
    const head = await this.#needs.head()
    if (head === undefined || head.size === this.#anchored) return
    try {
      await this.#toFile(head)
      await this.#toMail(head)
      await this.#toAuthority(head)
      this.#anchored = head.size
      this.#lack = undefined
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#lack = `The log of captures could not be anchored: ${error.message}`
      this.#needs.log.warn({ err: error }, 'The log of captures could not be anchored')
    }
  }

  close(): Promise<void> {
    return this.#task.close()
  }

  async #toFile({ size, signedAtMs, root, signature }: LogHead): Promise<void> {
    const { file } = this.#places
    if (file === undefined) return
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
    const head = { size, signedAt: signedAtMs, root: hex(root), signature: hex(signature) }
    await this.#needs.append(file, `${JSON.stringify({ key: hex(this.#needs.publicKey), ...head })}\n`)
  }

  async #toMail(head: LogHead): Promise<void> {
    const { mail } = this.#places
    if (mail === undefined) return
    const text = headMail(head, this.#needs.publicKey, mail.to)
    await this.#needs.write(join(mail.folder, `polyhistor-log-${head.size}.eml`), Buffer.from(text))
  }

  async #toAuthority(head: LogHead): Promise<void> {
    const { random, folder, post, write, log } = this.#needs
    const { url } = this.#places
    if (url === undefined) return
    const data = encodeHead(head)
    const nonce = random.bytes(nonceBytes)
    const answer = await post(url, 'application/timestamp-query', timestampQuery(data, nonce))
    const time = timestampIn(answer, data, nonce)
    const name = join(folder, `${head.size}.head`)
    await write(name, data)
    await write(`${name}.tsr`, answer)
    log.info({ size: head.size, time: time.toISOString() }, 'The log of captures was stamped')
  }
}
