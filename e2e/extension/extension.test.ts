// The extension in a real browser, with a real peer and a web to archive; and the bookmarklet on a hostile page.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { buildExtension } from '../../scripts/build-extension.ts'
import { startPeer } from '../api/peer.ts'
import { polyhistor, temporaryFolder } from '../command.ts'
import { page as pageOf, startOrigin } from '../crawl/origin.ts'
import { Reader, until } from '../pages/reader.ts'
import { type ExtensionStage, fullChromium, stageWithExtension, stageWithStandIn } from './extension-stage.ts'

const timeout = 900_000

async function peerAndWeb() {
  const origin = await startOrigin({ '/': pageOf(), '/second': pageOf() })
  const home = await temporaryFolder()
  const peer = await startPeer(home)
  const link = async () => (await polyhistor(['link', '--home', home])).output.trim()
  return { origin, home, peer, link }
}

const message = (page: Page) => page.locator('#message')

async function connected(stage: ExtensionStage, link: string): Promise<Page> {
  const options = await stage.open('options')
  await options.getByLabel('Link').fill(link)
  await options.getByRole('button', { name: 'Connect', exact: true }).click()
  await message(options)
    .filter({ hasText: /^Connected\.$/ })
    .waitFor()
  return options
}

const kept = (page: Page) =>
  page.evaluate<Record<string, unknown>>(`JSON.parse(localStorage.getItem('kept') ?? '{}')`)

async function archives(stage: ExtensionStage, url: string): Promise<void> {
  const popup = await stage.open('popup', url)
  await popup.getByText('Not archived yet.').waitFor()
  assert.equal(await popup.getByRole('button', { name: 'Versions of this page' }).isVisible(), false)
  await popup.getByRole('button', { name: 'Archive this page' }).click()
  await popup.getByText('Archived.', { exact: true }).waitFor()
  await popup.getByText(/^Archived: one version, the last on /).waitFor()
  await popup.getByRole('button', { name: 'Versions of this page' }).waitFor()
}

test(
  'connects by a one-time link, archives a page, tells its versions, and forgets its key',
  async () => {
    const { origin, home, peer, link } = await peerAndWeb()
    const stage = await stageWithStandIn()
    const unconnected = await stage.open('popup', origin.url('/'))
    await unconnected.getByText('not connected to an archive yet').waitFor()
    const options = await connected(stage, await link())
    const { granted, connection } = await kept(options)
    assert.deepEqual(granted, [`${peer.url}/*`])
    const { key } = connection as { key: string }
    assert.match(key, /^x\./)
    await archives(stage, origin.url('/#part'))
    assert.equal(origin.counts()['/'], 1)
    const popup = await stage.open('popup', origin.url('/'))
    await popup.getByRole('button', { name: 'Versions of this page' }).click()
    await until(
      async () => ((await kept(popup)).opened as string[])?.[0] === `${peer.url}/web/*/${origin.url('/')}`,
    )
    await popup.getByRole('button', { name: 'Watch it' }).click()
    await message(popup).filter({ hasText: 'watches this page from now on' }).waitFor()
    assert.match((await polyhistor(['watch', 'list', '--json', '--home', home])).output, /127\.0\.0\.1/)
    await options.getByRole('button', { name: 'Disconnect' }).click()
    await message(options).filter({ hasText: 'forgotten' }).waitFor()
    const { connection: after, taken } = await kept(options)
    assert.deepEqual([after, taken], [undefined, [`${peer.url}/*`]])
  },
  timeout,
)

test(
  'with the token it gets a key, and keeps that alone',
  async () => {
    const { home, peer } = await peerAndWeb()
    const stage = await stageWithStandIn()
    const token = (await readFile(join(home, 'token'), 'utf8')).trim()
    const options = await stage.open('options')
    await options.getByLabel('Link').fill(peer.url)
    await options.getByText('With the token instead').click()
    await options.getByLabel('Token').fill(token)
    await options.getByRole('button', { name: 'Connect', exact: true }).click()
    await message(options).filter({ hasText: 'Connected.' }).waitFor()
    assert.equal(JSON.stringify(await kept(options)).includes(token), false)
  },
  timeout,
)

test(
  'the key archives and watches pages, and does nothing else',
  async () => {
    const { origin, peer, link } = await peerAndWeb()
    const stage = await stageWithStandIn()
    const options = await connected(stage, await link())
    const { key } = (await kept(options)).connection as { key: string }
    const asked = async (path: string, body: object, method = 'POST') => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      return (await fetch(peer.url + path, { method, headers, body: JSON.stringify(body) })).status
    }
    assert.equal(await asked('/api/v1/pages', { url: origin.url('/') }), 201)
    assert.equal(await asked('/api/v1/pages', { url: origin.url('/'), scope: 'site' }), 400)
    assert.equal(await asked('/api/v1/watches', { url: origin.url('/') }), 201)
    assert.equal(await asked('/api/v1/watches', { prefix: origin.url('/') }), 403)
    assert.equal(await asked('/api/v1/watches', { url: origin.url('/'), browser: 'always' }), 403)
    for (const path of [
      '/api/v1/webhooks',
      '/api/v1/watch-trials',
      '/api/v1/jobs',
      '/api/v1/takedowns',
      '/api/v1/links',
      '/api/v1/imports',
      '/api/v1/visits',
    ])
      assert.equal(await asked(path, { url: origin.url('/') }), 403, path)
    assert.equal(await asked('/extension-key', {}), 403)
  },
  timeout,
)

test(
  'what goes wrong is told in words',
  async () => {
    const { origin, home, peer, link } = await peerAndWeb()
    const stage = await stageWithStandIn()
    const options = await stage.open('options')
    const tried = async (address: string) => {
      await options.getByLabel('Link').fill(address)
      await options.evaluate(`document.getElementById('message').textContent = ''`)
      await options.getByRole('button', { name: 'Connect', exact: true }).click()
      await message(options).filter({ hasText: /./ }).waitFor()
      return await message(options).textContent()
    }
    expect(await tried('http://archive.example/owner/abc')).toMatch(/Without https/)
    expect(await tried('http://localhost:7070')).toMatch(/whole link/)
    expect(await tried(`${peer.url}/owner/${'x'.repeat(32)}`)).toMatch(/used or is too old/)
    expect(await tried('http://localhost:9/owner/abc')).toMatch(/Nobody answers/)
    expect(await tried(`${origin.origin}/owner/abc`)).toMatch(/error|no Polyhistor archive/)
    await connected(stage, await link())
    const said = async (url: string) => {
      const popup = await stage.open('popup', url)
      await message(popup).filter({ hasText: /./ }).waitFor()
      return await message(popup).textContent()
    }
    expect(await said('chrome://settings')).toMatch(/page of the browser itself/)
    expect(await said('file:///home/me/letter.html')).toMatch(/file on your disk/)
    expect(await said('https://me:secret@bank.example/')).toMatch(/password/)
    const gone = await stage.open('popup', origin.url('/none'))
    await gone.getByRole('button', { name: 'Archive this page' }).click()
    await gone
      .getByText(/^Archived/)
      .first()
      .waitFor()
    await polyhistor(['link', '--revoke', '--home', home])
    const popup = await stage.open('popup', origin.url('/'))
    await popup.getByRole('button', { name: 'Archive this page' }).click()
    await message(popup).filter({ hasText: 'does not know this extension' }).waitFor()
    await popup.getByRole('button', { name: 'Connect again' }).waitFor()
    await peer.stop()
    expect(await said(origin.url('/'))).toMatch(/Nobody answers at .*polyhistor peer/)
  },
  timeout,
)

test(
  'in a private window the archive is asked only when its owner says so',
  async () => {
    const { origin, link } = await peerAndWeb()
    const stage = await stageWithStandIn()
    await connected(stage, await link())
    const popup = await stage.open('popup', origin.url('/'), true)
    const asked: string[] = []
    popup.on('request', (request) => asked.push(request.url()))
    await popup.getByRole('button', { name: 'Is it archived?' }).waitFor()
    assert.deepEqual(asked, [])
    await popup.getByRole('button', { name: 'Is it archived?' }).click()
    await popup.getByText('Not archived yet.').waitFor()
  },
  timeout,
)

test.skipIf(fullChromium === undefined)(
  'the extension itself, loaded into a Chromium',
  async () => {
    const { origin, link } = await peerAndWeb()
    const stage = await stageWithExtension(fullChromium!)
    await connected(stage, await link())
    await stage.visit(origin.url('/second'))
    await archives(stage, origin.url('/second'))
  },
  timeout,
)

test('both builds ask for nothing but the open page, storage, and the host that the owner names', async () => {
  for (const folder of await buildExtension(await temporaryFolder())) {
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))
    assert.deepEqual(manifest.permissions, ['activeTab', 'storage'])
    for (const name of ['host_permissions', 'content_scripts', 'background', 'web_accessible_resources'])
      assert.equal(manifest[name], undefined, name)
    assert.equal('browser_specific_settings' in manifest, folder.endsWith('firefox'))
  }
})

test(
  'the bookmarklet leads to a question of our own page, which its owner answers',
  async () => {
    const { origin, peer, link } = await peerAndWeb()
    const reader = await Reader.start()
    onTestFinished(() => reader.close())
    await reader.visit(async ({ page }) => {
      await page.goto(await link())
      await page.waitForURL((url) => url.pathname === '/')
      await page.goto(`${peer.url}/tools`)
      const bookmarklet = await page.locator('a[rel=bookmark]').getAttribute('href')
      await page.goto(origin.url('/'))
      const opened = page.context().waitForEvent('page')
      await page.evaluate(bookmarklet!.slice('javascript:'.length))
      const question = await opened
      await question.waitForURL(`${peer.url}/archive?url=${encodeURIComponent(origin.url('/'))}`)
      const asked = origin.counts()['/']
      // Pressed at once it does nothing: the button waits until somebody can have read it.
      const button = question.getByRole('button', { name: 'Archive it now' })
      assert.equal(await question.evaluate('window.opener'), null)
      await button.click()
      await question.waitForURL(/\/jobs\//)
      await question.locator('.state.done').waitFor()
      assert.equal(origin.counts()['/'], asked! + 1)
    })
  },
  timeout,
)
