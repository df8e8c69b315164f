import assert from 'node:assert/strict'
import { test } from 'vitest'
import { statusText } from '../../cli/commands/network/status.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import { SolitaryStatus } from './solitary-status.ts'

test('the status is not "well" while a takedown hides much of the archive, and is again when it was released', async () => {
  const store = await openStore({ takedownUndoMs: 60_000 })
  for (let page = 0; page < 30; page++)
    await store.append(pageCapture(`http://a.example/${page}`, 0, `page ${page}`))
  const status = new SolitaryStatus({ store })
  const text = async () => statusText(await status.status(), 120)
  assert.match(await text(), / well /)
  await store.takedown({ kind: 'url', url: 'http://a.example/1' })
  assert.match(await text(), / well /)
  await store.takedown({ kind: 'site', site: 'a.example' }, '', { by: 'somebody-bad' })
  assert.doesNotMatch(await text(), / well /)
  assert.match(await text(), /^Warning +29 of 29 captures of this archive are hidden .* …body-bad asked for/m)
  await store.release({ kind: 'site', site: 'a.example' })
  assert.match(await text(), / well /)
})
