// The first page of an empty archive, with a real peer and a real browser: archives and bookmarks are sent from it.

import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { startPeer } from '../api/peer.ts'
import { polyhistor, root, temporaryFolder } from '../command.ts'
import { Reader } from './reader.ts'

let reader: Reader

beforeAll(async () => {
  reader = await Reader.start()
}, 180_000)

afterAll(() => reader?.close())

const warc = join(root, 'src/formats/warc/fixtures/wget-gzip.warc.gz')

async function ownerLink(home: string): Promise<string> {
  return (await polyhistor(['link', '--home', home])).output.trim()
}

test('an archive is sent, taken in and read; what is none, or was sent before, is said to be so', async () => {
  const home = await temporaryFolder()
  const peer = await startPeer(home)
  const letter = join(home, 'letter.txt')
  await writeFile(letter, 'Dear archive')
  const cut = join(home, 'cut.warc.gz')
  await writeFile(cut, (await readFile(warc)).subarray(0, -100))
  await reader.visit(async ({ page, complaints }) => {
    await page.goto(peer.url)
    assert.equal(await page.getByLabel('WARC, ARC or WACZ files').count(), 0)
    await page.goto(await ownerLink(home))
    const field = page.getByLabel('WARC, ARC or WACZ files')
    await field.setInputFiles([letter, warc])
    await page.getByRole('button', { name: 'Take them in' }).click()
    const [refused, taken] = [page.locator('.taken .trouble'), page.locator('.taken .well')]
    await taken.waitFor()
    assert.match(
      (await refused.textContent())!,
      /letter\.txt: not taken in\. This is neither WARC.*"Dear archive"/,
    )
    assert.match((await taken.textContent())!, /wget-gzip\.warc\.gz: [1-9]\d* captures? taken in/)
    await field.setInputFiles([warc, cut])
    await page.getByRole('button', { name: 'Take them in' }).click()
    await page.locator('.taken li', { hasText: 'wget-gzip.warc.gz: taken in before, to its end.' }).waitFor()
    await page.locator('.taken li', { hasText: /cut\.warc\.gz: .* (?:damaged|here already)/ }).waitFor()
    await page.getByRole('link', { name: 'See what is archived' }).first().click()
    await page.locator('main a[href="/site/127.0.0.1"]').waitFor()
    assert.deepEqual(complaints, [])
  })
  assert.deepEqual(await readdir(join(home, 'downloads')), [])
})

test('what is too large is refused before it is sent, and strangers send nothing', async () => {
  const home = await temporaryFolder()
  const peer = await startPeer(home, '--set', 'http.uploadSize=1kB')
  await reader.visit(async ({ page }) => {
    await page.goto(await ownerLink(home))
    await page.goto(`${peer.url}/taking-in`)
    await page.getByLabel('WARC, ARC or WACZ files').setInputFiles(warc)
    await page.getByRole('button', { name: 'Take them in' }).click()
    await page.locator('.taken .trouble', { hasText: /takes at most 1\.0 kB now/ }).waitFor()
  })
  const token = (await readFile(join(home, 'token'), 'utf8')).trim()
  const send = async (body: string, headers: Record<string, string>) => {
    const answer = await fetch(`${peer.url}/api/v1/uploads`, { method: 'POST', body, headers })
    return [answer.status, await answer.text()] as const
  }
  assert.equal((await send('WARC/1.0', {}))[0], 401)
  const [status, lines] = await send('no archive', { Authorization: `Bearer ${token}` })
  assert.equal(status, 200)
  assert.equal(JSON.parse(lines.trimEnd().split('\n').at(-1)!).error.code, 'store-unknown-archive')
})

test('bookmarks are sent, and what they name is archived', async () => {
  const home = await temporaryFolder()
  await startPeer(home)
  const bookmarks = join(home, 'bookmarks.html')
  await writeFile(
    bookmarks,
    '<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="http://127.0.0.1:9/a">A</A><DT><A HREF="http://127.0.0.1:9/b">B</A></DL>',
  )
  const picture = join(home, 'picture.bin')
  await writeFile(picture, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0]))
  await reader.visit(async ({ page }) => {
    const send = async (file: string) => {
      await page.goto(await ownerLink(home))
      await page.getByLabel('Bookmarks of a browser').setInputFiles(file)
      await page.getByRole('button', { name: 'Archive them' }).click()
    }
    await send(bookmarks)
    await page.waitForURL('**/jobs/*')
    await page.getByText('127.0.0.1:9/b').first().waitFor()
    await send(picture)
    await page.waitForURL('**/save')
    await page.getByText('The file of seeds is none that is known').waitFor()
    await send(warc)
    await page.getByText('The file of seeds is an archive').waitFor()
  })
})
