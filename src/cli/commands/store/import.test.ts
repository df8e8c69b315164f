import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { foreignRecord } from '../../../store/fixtures/archive-source.ts'
import { CommandHome } from '../../fixtures/command-home.ts'
import { importFiles } from './import.ts'

describe('a list of WACZ files', () => {
  const listName = 'list.json'

  /** A WARC file will do: what is in a file tells what it is. */
  function archiveOf(url: string): Buffer {
    const fields = {
      'WARC-Target-URI': url,
      'WARC-Date': '2020-01-01T00:00:00Z',
      'Content-Type': 'application/http; msgtype=response',
    }
    return foreignRecord('response', fields, 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nbody')
  }

  async function importList(home: CommandHome, resources: readonly object[]) {
    const list = join(home.folder, listName)
    await writeFile(list, JSON.stringify({ profile: 'multi-wacz-package', resources }))
    return home.run((context) => importFiles(context, [list], {}))
  }

  test('is all files that it names, and lie next to it or below', async () => {
    const home = await CommandHome.make()
    await mkdir(join(home.folder, 'more'))
    await writeFile(join(home.folder, 'a.wacz'), archiveOf('http://a.test/'))
    await writeFile(join(home.folder, 'more', 'b.wacz'), archiveOf('http://b.test/'))
    await writeFile(join(home.folder, 'c.wacz'), archiveOf('http://c.test/'))
    const { code, output, errors } = await importList(home, [
      { name: 'a.wacz', path: 'a.wacz' },
      { path: 'more/b.wacz' },
      { name: 'c', path: 'https://files.test/signed/c.wacz?key=1' },
    ])
    assert.deepEqual([code, errors], [0, ''])
    assert.equal(output.toString().match(/1 captures kept/g)?.length, 3)
  })

  test('of which some are missing names those, and is imported as far as it is there', async () => {
    const home = await CommandHome.make()
    await writeFile(join(home.folder, 'a.wacz'), archiveOf('http://a.test/'))
    const { code, output, errors } = await importList(home, [
      { path: 'a.wacz' },
      { path: 'gone.wacz' },
      { path: 'https://files.test/far.wacz' },
    ])
    assert.equal(code, 1)
    assert.match(output.toString(), /1 captures kept/)
    assert.match(
      errors,
      /list\.json lists 3 WACZ files, of which 2 do not lie next to it: gone\.wacz, https:\/\/files\.test\/far\.wacz/,
    )
  })

  test('never leads out of its folder', async () => {
    const home = await CommandHome.make()
    const folder = join(home.folder, 'lists')
    await mkdir(folder)
    const secret = join(home.folder, 'secret.wacz')
    await writeFile(secret, archiveOf('http://secret.test/'))
    const list = join(folder, listName)
    const resources = [{ path: '../secret.wacz' }, { path: secret }, { path: 'x/../../secret.wacz' }]
    await writeFile(list, JSON.stringify({ profile: 'multi-wacz-package', resources }))
    const { code, output, errors } = await home.run((context) => importFiles(context, [list], {}))
    assert.equal(code, 1)
    assert.doesNotMatch(output.toString(), /kept/)
    assert.match(errors, /of which 3 do not lie next to it/)
  })
})
