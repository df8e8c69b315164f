// The plainest program that fetches a web and keeps it: undici, htmlparser2, SHA-256, gzip, appended and synced many at a
// time, the URLs in a Set. No frontier that survives, no index, no politeness, no limits: what of a crawler's time is Node's
// and the libraries' share on this machine. `node floor-crawl.ts START FOLDER`.

import { hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Parser } from 'htmlparser2'
import { Pool } from 'undici'

const [start, folder] = process.argv.slice(2) as [string, string]
const concurrency = 128
const connectionsPerHost = 8
const level = 4
const compress = promisify<Uint8Array, { level: number }, Buffer>(gzip)

/** Appends what came meanwhile at once, with one sync. */
class Archive {
  readonly #file: FileHandle
  #waiting: { bytes: Buffer; resolve: () => void }[] = []
  #isWriting = false

  constructor(file: FileHandle) {
    this.#file = file
  }

  append(bytes: Buffer): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ bytes, resolve })
    if (!this.#isWriting) void this.#write()
    return promise
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      await this.#file.appendFile(Buffer.concat(batch.map(({ bytes }) => bytes)))
      await this.#file.datasync()
      for (const { resolve } of batch) resolve()
    }
    this.#isWriting = false
  }
}

const file = await open(join(folder, 'floor.warc.gz'), 'a')
const archive = new Archive(file)
const pools = new Map<string, Pool>()
const known = new Set([start])
const queue = [start]

async function visit(href: string): Promise<void> {
  const url = new URL(href)
  const { headers, body } = await poolOf(url.origin).request({
    method: 'GET',
    path: url.pathname + url.search,
  })
  const payload = Buffer.from(await body.arrayBuffer())
  const isPage = String(headers['content-type']).startsWith('text/html')
  if (isPage) findLinks(url, payload.toString())
  const digest = hash('sha256', payload)
  const head = `WARC/1.1\r\nWARC-Target-URI: ${href}\r\nWARC-Payload-Digest: sha256:${digest}\r\n\r\n${JSON.stringify(headers)}\r\n\r\n`
  await archive.append(
    await compress(Buffer.concat([Buffer.from(head), payload]), { level: isPage ? level : 0 }),
  )
}

function poolOf(origin: string): Pool {
  let pool = pools.get(origin)
  if (pool === undefined) pools.set(origin, (pool = new Pool(origin, { connections: connectionsPerHost })))
  return pool
}

function findLinks(page: URL, text: string): void {
  const parser = new Parser({
    onopentag(_name, { href, src }) {
      const link = href ?? src
      if (link === undefined) return
      const found = new URL(link, page).href
      if (known.has(found)) return
      known.add(found)
      queue.push(found)
    },
  })
  parser.end(text)
}

await new Promise<void>((resolve, reject) => {
  let underWay = 0
  const next = (): void => {
    while (underWay < concurrency && queue.length > 0) {
      underWay++
      visit(queue.shift()!).then(() => {
        underWay--
        next()
      }, reject)
    }
    if (underWay === 0) resolve()
  }
  next()
})
await file.close()
await Promise.all([...pools.values()].map((pool) => pool.destroy()))
