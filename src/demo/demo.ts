// The demo: a little web, five peers that archive it together, and a page on which all of it is seen at work. Needs no network; when
// it ends nothing is left of it.

import { loadPageAssets } from '../app/pages/page-assets.ts'
import { HttpServerError } from '../platform/network/http-server.ts'
import { DemoChanges } from './demo-changes.ts'
import { DemoNetwork } from './demo-network.ts'
import { type DemoParts, startDemoServer } from './demo-server.ts'
import { DemoStates } from './demo-states.ts'
import { LittleWeb } from './little-web.ts'

interface DemoOptions {
  readonly host: string
  readonly port: number
  /** Another port will do when this one is taken. */
  readonly isAnyPortFine: boolean
  /** How far the start has come, a sentence each. */
  readonly tell: (sentence: string) => void
}

/** Gives the page's address to `onUp` as soon as there is something to see; resolves when all is gone again. */
export async function runDemo(
  options: DemoOptions,
  stop: AbortSignal,
  onUp: (url: string) => Promise<void>,
): Promise<void> {
  await using parts = new AsyncDisposableStack()
  const web = parts.adopt(await LittleWeb.start(), (started) => started.stop())
  const network = parts.adopt(await DemoNetwork.create(), (created) => created.remove())
  const states = new DemoStates(network, web)
  const changes = new DemoChanges(network)
  const assets = await loadPageAssets()
  const { http, path } = await listen({ network, states, changes, assets }, options)
  parts.defer(() => http.close(100))
  const running = [states.run(), changes.run()]
  parts.defer(async () => {
    states.stop()
    changes.stop()
    await Promise.all(running)
  })
  await onUp(`http://${options.host}:${http.port}${path}`)
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()))
  const begun = begin(network, web, options.tell)
  // Killed peers end it soon.
  begun.catch(() => undefined)
  await Promise.race([stopped, begun.then(() => stopped)])
}

async function listen(parts: DemoParts, { host, port, isAnyPortFine }: DemoOptions) {
  try {
    return await startDemoServer(parts, host, port)
  } catch (error) {
    const isTaken = error instanceof HttpServerError && error.code === 'http-address-in-use'
    if (!isTaken || !isAnyPortFine) throw error
    return startDemoServer(parts, host, 0)
  }
}

async function begin(network: DemoNetwork, web: LittleWeb, tell: (sentence: string) => void): Promise<void> {
  await network.start(({ name, url }) => tell(`${name} is up at ${url}`))
  await network.running[0]?.post('/api/v1/jobs', { seeds: web.seeds, scope: 'host' })
  tell('All five are up, and crawl the little web. Ctrl-C ends the demo and removes all of it.')
}
