// ReplayWeb.page as judge of an exported WACZ: its service worker, which is wabac.js, loads the file in a real browser and gives
// every capture with the body that our peer gives.
//
// npm fetches the package, by name, whatever its newest version is: it is built whole, so nothing else of npm is needed.

import { execFile } from 'node:child_process'
import { mkdir, readdir, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { TestBrowser } from '../replay/browser.ts'
import type { Judged, JudgedArchive } from './judged-archive.ts'
import { serve } from './served-files.ts'
import { faultOf, MissingJudge, type Verdict } from './verdict.ts'

const packageName = 'replaywebpage'
const collection = 'judged'
const fetchMsMax = 180_000
const loadMsMax = 60_000

interface Seen {
  readonly status: number
  /** `opaqueredirect`: a redirect, of which a page is shown nothing else. */
  readonly type: string
  readonly base64: string
}

export async function judgeWithReplayWebPage(archive: JudgedArchive, folder: string): Promise<Verdict[]> {
  const worker = await fetchedWorker(join(folder, packageName))
  const server = await serve({ '/sw.js': worker, '/judged.wacz': archive.wacz })
  const { port } = server.address() as AddressInfo
  const origin = `http://localhost:${port}`
  try {
    // Whatever would leave the archive comes to this server, which knows no such thing.
    const browser = await TestBrowser.start(`127.0.0.1:${port}`)
    try {
      return await browser.visit(async (page) => {
        await page.goto(origin)
        await load(page)
        const verdicts: Verdict[] = []
        const prefix = await prefixIn(page, archive.judged[0]!)
        for (const judged of archive.judged) verdicts.push(await verdictOn(page, prefix, judged))
        return verdicts
      })
    } finally {
      await browser.dispose()
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** The path of its service worker. */
async function fetchedWorker(folder: string): Promise<string> {
  const run = promisify(execFile)
  await mkdir(folder)
  try {
    await run('npm', ['pack', packageName, '--pack-destination', folder], {
      cwd: folder,
      timeout: fetchMsMax,
    })
    const file = (await readdir(folder)).find((name) => name.endsWith('.tgz'))
    await run('tar', ['-xzf', file ?? '', '-C', folder], { cwd: folder, timeout: fetchMsMax })
    const worker = join(folder, 'package', 'sw.js')
    await stat(worker)
    return worker
  } catch (error) {
    throw new MissingJudge(`npm does not give ${packageName}: ${(error as Error).message}`)
  }
}

/** As ReplayWeb.page's own page does it. The result is what went wrong, if anything did. */
const loading = `(async () => {
  await navigator.serviceWorker.register('/sw.js', { scope: '/' })
  const { active } = await navigator.serviceWorker.ready
  return new Promise((resolve) => {
    setTimeout(() => resolve('the WACZ was not loaded in time'), ${loadMsMax})
    navigator.serviceWorker.addEventListener('message', ({ data }) => {
      if (data.msg_type === 'collAdded') resolve('')
      if (data.msg_type === 'collProgress' && data.error) resolve(data.error)
    })
    navigator.serviceWorker.startMessages()
    const file = { sourceUrl: location.origin + '/judged.wacz' }
    active.postMessage({ msg_type: 'addColl', name: '${collection}', file })
  })
})()`

async function load(page: Page): Promise<void> {
  const failure = await page.evaluate(loading)
  if (failure !== '') throw new Error(`ReplayWeb.page: ${failure}`)
  // From then on the worker answers this page.
  await page.reload()
}

/** Of the WACZ in its collection, to which it redirects: `/w/judged/:0123…/`. */
async function prefixIn(page: Page, { timestamp, url }: Judged): Promise<string> {
  const path = `/w/${collection}/${timestamp}id_/${url}`
  const shown = await page.evaluate(async (path) => (await fetch(path)).url, path)
  return shown.slice(new URL(shown).origin.length, -`${timestamp}id_/${url}`.length)
}

async function verdictOn(page: Page, prefix: string, judged: Judged): Promise<Verdict> {
  const { kind, url, post, timestamp, ours } = judged
  const path = `${prefix}${timestamp}id_/${url}`
  const seen = await page.evaluate(
    async ({ path, post }): Promise<Seen> => {
      const sent = post && { method: 'POST', body: post.body, headers: { 'Content-Type': post.contentType } }
      const response = await fetch(path, { redirect: 'manual', ...sent })
      const bytes = new Uint8Array(await response.arrayBuffer())
      return {
        type: response.type,
        status: response.status,
        base64: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
      }
    },
    { path, post },
  )
  if (ours.status >= 300 && ours.status < 400) {
    if (seen.type !== 'opaqueredirect') return { kind, fault: `no redirect, but ${seen.status}` }
    // As original bytes it would lead out of the archive.
    const framed = `${prefix}${timestamp}mp_/${url}`
    const shown = await page.evaluate(async (path) => (await fetch(path)).url, framed)
    const target = ours.location?.replace(/^.*?\/web\/\d+id_\//, '')
    if (!shown.endsWith(`mp_/${target}`)) return { kind, fault: `leads to ${shown} instead of ${target}` }
    return {
      kind,
      fault: undefined,
      peculiarity: 'a redirect to the right place, of which a page cannot see the content',
    }
  }
  // Pages are given decoded bytes, whatever the head says.
  const theirs = { status: seen.status, encoding: undefined, body: Buffer.from(seen.base64, 'base64') }
  return { kind, fault: faultOf(theirs, ours) }
}
