// Bytes between a volunteer and its peer for each page, in bundles of 14, beside the page's own size in gzip; heads, requests and signatures
// included. For small, middling and large pages of made-up words, of one site and of pages that have nothing in common.

import { hash, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { LinkedSites } from '../../sim/peer/linked-sites.ts'
import { type GivenAnswer, packAnswers } from '../../src/network/volunteers/given-answers.ts'
import { sealed } from '../../src/network/volunteers/sealed-answers.ts'
import { signCaptures } from '../../src/proof/capture-signature.ts'
import { SigningKey } from '../../src/proof/ed25519.ts'

const bundle = 14
const pages = 280
const key = new SigningKey(randomBytes(32))

export function printPageBytes(): void {
  for (const textBytes of [1_000, 10_000, 60_000])
    for (const kind of ['alike', 'unlike'] as const) printBytes(textBytes, kind)
}

function printBytes(textBytes: number, kind: 'alike' | 'unlike'): void {
  const sites = new LinkedSites({ sites: 1, pages, textBytes })
  let gzipped = 0
  let sent = 0
  for (let at = 0; at < pages; at += bundle) {
    const bodies = Array.from({ length: bundle }, (_, index) =>
      kind === 'alike' ? Buffer.from(sites.body(0, at + index)) : unlikePage(textBytes),
    )
    gzipped += bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)
    sent += packAnswers(sealed(answersOf(bodies, sites, at))!)!.length
  }
  const [each, own] = [sent / pages, gzipped / pages]
  console.log(
    `${textBytes} bytes of text, pages ${kind}: ${each.toFixed(0)} bytes a page, ${own.toFixed(0)} in gzip: ${(each / own).toFixed(3)}`,
  )
}

/** Words of letters by chance: nothing that one page tells helps with the next. */
function unlikePage(textBytes: number): Buffer {
  let text = ''
  while (text.length < textBytes) text += `${randomBytes(3 + (text.length % 3)).toString('hex')} `
  return Buffer.from(`<!doctype html><title>${text.slice(0, 20)}</title><p>${text}`)
}

function answersOf(bodies: readonly Buffer[], sites: LinkedSites, at: number): GivenAnswer[] {
  const unsigned = bodies.map((body, index) => {
    const url = sites.url(0, at + index)
    const second = String(index).padStart(2, '0')
    const head = Buffer.from(
      `HTTP/1.1 200 OK\r\nDate: Tue, 17 Nov 2026 19:00:${second} GMT\r\nServer: nginx\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\nETag: "${randomBytes(8).toString('hex')}"\r\n\r\n`,
    )
    const { host, pathname } = new URL(url)
    const request = Buffer.from(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: polyhistor\r\n\r\n`)
    return { url, head, body, request, capturedAtMs: 1_794_942_000_000 + 1_000 * index }
  })
  const captures = unsigned.map(({ url, head, body, capturedAtMs }) => ({
    facts: {
      ...{ url, capturedAtMs, headDigest: hash('sha256', head, 'buffer') },
      payloadDigest: `sha256:${hash('sha256', body)}`,
      ...{ address: '192.0.2.1', certificate: undefined },
    },
    isImported: false,
  }))
  const signed = signCaptures(key, captures, 1_794_942_020_000)
  return unsigned.map(({ head, body, request, capturedAtMs }, index) => ({
    ...{
      kind: 'response',
      index,
      capturedAtMs,
      responseMs: 20 + index,
      connectMs: undefined,
      head,
      body,
      request,
    },
    ...{ address: '192.0.2.1', protocols: ['http/1.1'], signature: signed[index]!.field },
    ...{ certificate: undefined, truncated: undefined, tlsProblem: undefined },
  }))
}
