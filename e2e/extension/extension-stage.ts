// The built extension in a browser, before a peer of its own.
//
// The browser of the tests is a headless shell, which knows no extensions: there the extension's pages are shown as pages of a server,
// with a stand-in for the calls of the browser that they use, and may reach the peer as an extension may. With a full Chromium
// (installed, or named by FULL_CHROMIUM) the extension itself is loaded.

import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { buildExtension } from '../../scripts/build-extension.ts'
import { installedBrowser } from '../../src/platform/real/browser/executable.ts'
import { chromiumExecutable } from '../chromium.ts'
import { temporaryFolder } from '../command.ts'
import { type Handler, startOrigin } from '../crawl/origin.ts'

export const fullChromium = process.env.FULL_CHROMIUM ?? installedBrowser()

/** A page of the extension, for somebody who has this address open. */
export interface ExtensionStage {
  open(name: 'popup' | 'options', url?: string, isPrivate?: boolean): Promise<Page>
  /** A page of the web. */
  visit(url: string): Promise<Page>
}

/** A busy machine takes many times as long as a quiet one. */
const waitMsMax = 240_000

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
  png: 'image/png',
}

/** Kept where all pages of the stage find it. */
const standIn = (url: string | undefined, isPrivate: boolean) => `
  const kept = () => JSON.parse(localStorage.getItem('kept') ?? '{}')
  const keep = (values) => localStorage.setItem('kept', JSON.stringify(values))
  const note = (name, value) => keep({ ...kept(), [name]: [...(kept()[name] ?? []), value] })
  globalThis.chrome = {
    storage: { local: {
      get: async (name) => ({ [name]: kept()[name] }),
      set: async (values) => keep({ ...kept(), ...values }),
      remove: async (name) => keep({ ...kept(), [name]: undefined }),
    } },
    tabs: {
      query: async () => [{ url: ${JSON.stringify(url)} }],
      create: async ({ url }) => note('opened', url),
    },
    permissions: {
      request: async ({ origins }) => (note('granted', origins[0]), true),
      remove: async ({ origins }) => (note('taken', origins[0]), true),
    },
    runtime: { getURL: (path) => 'chrome-extension://x/' + path, openOptionsPage: async () => note('opened', 'options') },
    extension: { inIncognitoContext: ${isPrivate} },
  }`

export async function stageWithStandIn(colorScheme: 'light' | 'dark' = 'light'): Promise<ExtensionStage> {
  const folder = (await builtFolder())!
  const names = ['popup.html', 'options.html', 'extension.css', 'popup.js', 'options.js', 'peer.js']
  const files = await Promise.all(
    names.map(async (name) => [`/${name}`, await fileOf(folder, name)] as const),
  )
  const server = await startOrigin(Object.fromEntries(files))
  const executablePath = await chromiumExecutable()
  // What an extension may that has the right to its peer's host: no other origin's leave is needed.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-web-security'] })
  onTestFinished(() => browser.close())
  const context = await browser.newContext({ colorScheme, viewport: { width: 380, height: 420 } })
  context.setDefaultTimeout(waitMsMax)
  return {
    visit: (url) => visited(context, url),
    open: async (name, url, isPrivate = false) => {
      const page = await context.newPage()
      await page.addInitScript(standIn(url, isPrivate))
      await page.goto(server.url(`/${name}.html`))
      return page
    },
  }
}

/** The browser's question whether the extension may reach a host cannot be answered without a screen: here it is answered beforehand. */
export async function stageWithExtension(executablePath: string): Promise<ExtensionStage> {
  const extension = join(await temporaryFolder(), 'extension')
  await cp((await builtFolder())!, extension, { recursive: true })
  const manifestPath = join(extension, 'manifest.json')
  const manifest = JSON.parse(await readFile(manifestPath, 'utf8')) as object
  await writeFile(
    manifestPath,
    JSON.stringify({ ...manifest, host_permissions: ['http://localhost/*', 'http://127.0.0.1/*'] }),
  )
  const context = await chromium.launchPersistentContext(await temporaryFolder(), {
    executablePath,
    headless: false,
    args: [
      '--headless=new',
      '--no-sandbox',
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
    ],
    ignoreDefaultArgs: ['--disable-extensions'],
  })
  onTestFinished(() => context.close())
  context.setDefaultTimeout(waitMsMax)
  const id = await idOf(context)
  return {
    visit: (url) => visited(context, url),
    open: async (name, url) => {
      const page = await context.newPage()
      // The popup is shown in a tab of its own here, and asks for the one that is looked at.
      if (url !== undefined)
        await page.addInitScript(
          `const query = chrome.tabs?.query.bind(chrome.tabs); if (query) chrome.tabs.query = () => query({ url: ${JSON.stringify(url)} })`,
        )
      await page.goto(`chrome-extension://${id}/${name}.html`)
      return page
    },
  }
}

async function visited(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  return page
}

async function builtFolder(): Promise<string | undefined> {
  const folders = await buildExtension(await temporaryFolder())
  return folders.find((folder) => folder.endsWith('chromium'))
}

async function fileOf(folder: string, name: string): Promise<Handler> {
  const bytes = await readFile(join(folder, name))
  const type = types[name.split('.').pop()!]!
  return (_, response) => void response.writeHead(200, { 'Content-Type': type }).end(bytes)
}

async function idOf(context: BrowserContext): Promise<string> {
  const page = await context.newPage()
  await page.goto('chrome://extensions')
  const ids = await page.evaluate<string[]>(
    'new Promise((resolve) => chrome.developerPrivate.getExtensionsInfo({}, (all) => resolve(all.map(({ id }) => id))))',
  )
  await page.close()
  return ids[0]!
}
