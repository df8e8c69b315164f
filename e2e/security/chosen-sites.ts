// Sites that an attack chooses by who keeps them: names are tried until one lies where it is wanted on the ring.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseUrl } from '../../src/model/url/url.ts'
import { type Stage, within } from './stage.ts'

/** On every page of such sites. */
export const pageText = 'A page of a site that was chosen.'
const candidates = 20_000
const captureMsMax = 240_000

/** Of these URLs, those whose site has the peers for it in such an order: the owner first, each once. */
export async function chosen(
  { honest }: Stage,
  urls: readonly string[],
  isWanted: (peers: readonly string[]) => boolean,
): Promise<string[]> {
  const { known } = await honest[0]!.view()
  const contacts = known
    .map(({ contact }) => contact)
    .sort((one, other) => (one.place < other.place ? -1 : 1))
  return urls.filter((url) => {
    const { ringKey } = parseUrl(url)
    const start = Math.max(
      0,
      contacts.findIndex(({ place }) => place >= ringKey),
    )
    const inOrder = [...contacts.slice(start), ...contacts.slice(0, start)]
    return isWanted([...new Set(inOrder.map(({ peer }) => peer))])
  })
}

export function madeUpUrls(): string[] {
  return Array.from({ length: candidates }, (_, index) => `http://site-${index}.test/`)
}

/** None twice: what was captured before says nothing of now. */
const used = new Set<string>()

/** A page on this machine that an honest peer had crawled, of a site for which the ring names peers in such an order. Gives its
 * URL once it is kept; `stop` ends its server. */
export async function crawledSite(
  stage: Stage,
  isWanted: (peers: readonly string[]) => boolean,
  body = `<title>kept</title><p>${pageText}`,
): Promise<{ url: string; stop(): void }> {
  const addresses = Array.from(
    { length: candidates },
    (_, index) => `127.7.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`,
  )
  const found = (
    await chosen(
      stage,
      addresses.map((address) => `http://${address}/`),
      isWanted,
    )
  ).find((url) => !used.has(url))
  if (found === undefined) throw new Error('None of these sites lies where it is wanted')
  used.add(found)
  const server = await serverAt(new URL(found).hostname, body)
  const url = `http://${new URL(found).hostname}:${(server.address() as AddressInfo).port}/`
  const stop = (): void => {
    server.closeAllConnections()
    server.close()
  }
  try {
    await stage.honest[0]!.startJob([url])
    const { hostname } = new URL(url)
    await within(captureMsMax, `${url} to be captured`, async () =>
      (await Promise.all(stage.honest.map((peer) => peer.listedAtOnce(hostname)))).every((listed) =>
        listed.some((one) => one.url === url),
      ),
    )
    return { url, stop }
  } catch (error) {
    stop()
    throw error
  }
}

async function serverAt(address: string, body: string): Promise<Server> {
  const server = createServer((request, response) => {
    const isPage = request.url === '/'
    response.writeHead(isPage ? 200 : 404, { 'Content-Type': 'text/html' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  return server
}
