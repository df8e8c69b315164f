// Captures that were never crawled, made as the program's own store makes them: every byte and digest is right.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../src/app/store/store-library.ts'
import { parseUrl } from '../../src/model/url.ts'
import type { SentCapture } from '../../src/network/replication/captures/wire/questions.ts'
import { parseUuid } from '../../src/store/capture.ts'
import { rosterKey } from '../../src/store/copying/capture-roster.ts'
import { keyOfCursor } from '../../src/store/reading/capture-finder.ts'

export interface Forgery {
  readonly url: string
  readonly atMs: number
  readonly body: Uint8Array
}

export async function forgedCaptures(forgeries: readonly Forgery[]): Promise<SentCapture[]> {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-forged-'))
  const store = await openStore(join(folder, 'store'), { reserveBytes: 0 })
  try {
    for (const { url, atMs, body } of forgeries) {
      const head = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n')
      await store.append({ url: parseUrl(url), capturedAtMs: atMs, block: Buffer.concat([head, body]) })
    }
    const made: SentCapture[] = []
    for (const { cursor, recordId } of store.scan({ kind: 'all' })) {
      const bytes = await store.give(cursor, { isWhole: true })
      if (!(bytes instanceof Uint8Array)) throw new Error('too large to be forged')
      const key = rosterKey(keyOfCursor(cursor), parseUuid(recordId))
      made.push({ key, isWhole: true, isFirst: true, bytes: Uint8Array.from(bytes) })
    }
    return made
  } finally {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}
