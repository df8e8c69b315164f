// Captures that were never crawled, made as the program's own store makes them: every byte and digest is right.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../src/app/store/store-library.ts'
import { digestOf } from '../../src/model/digest.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { parseUuid } from '../../src/model/uuid.ts'
import type { SentCapture } from '../../src/network/replication/captures/wire/questions.ts'
import { signCaptures } from '../../src/proof/capture-signature.ts'
import { SigningKey } from '../../src/proof/ed25519.ts'
import { rosterKey } from '../../src/store/copying/capture-roster.ts'
import { keyOfCursor } from '../../src/store/reading/capture-finder.ts'
import { factsToSign } from '../../src/store/records/proof-mark.ts'

export interface Forgery {
  readonly url: string
  readonly atMs: number
  readonly body: Uint8Array
  /** With a signature that is right, but of another page, of another capture of the page, or of today. */
  readonly signed?: 'foreign' | 'replayed' | 'backdated'
}

/** The store takes it as it is: it believes who says that it signed the capture itself. */
function signatureOf({ url, atMs, body, signed }: Forgery, head: Uint8Array) {
  if (signed === undefined) return {}
  const { href } = parseUrl(url)
  const facts = factsToSign({ url: href, capturedAtMs: atMs }, head, digestOf('sha256', body))
  const told = {
    foreign: { ...facts, url: `${href}?other` },
    replayed: { ...facts, capturedAtMs: atMs - 86_400_000 },
    backdated: facts,
  }[signed]
  const key = new SigningKey(randomBytes(32))
  const [made] = signCaptures(
    key,
    [{ facts: told, isImported: false }],
    signed === 'foreign' ? atMs : signed === 'replayed' ? atMs - 86_400_000 : Date.now(),
  )
  return { signature: made!.field, logLeaf: made!.leaf }
}

export async function forgedCaptures(forgeries: readonly Forgery[]): Promise<SentCapture[]> {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-forged-'))
  const store = await openStore(join(folder, 'store'), { reserveBytes: 0 })
  try {
    for (const forgery of forgeries) {
      const { url, atMs, body } = forgery
      const head = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n')
      const capture = { url: parseUrl(url), capturedAtMs: atMs, block: Buffer.concat([head, body]) }
      await store.append({ ...capture, ...signatureOf(forgery, head) })
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
