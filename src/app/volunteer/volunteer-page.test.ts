import assert from 'node:assert/strict'
import { onTestFinished, test } from 'vitest'
import { RealClock } from '../../platform/real/clock.ts'
import { startHttpServer } from '../../platform/real/http-server/http-server.ts'
import { RealRandom } from '../../platform/real/random.ts'
import { OwnedLimits, ownerLimitsDefault } from '../../volunteer/owner-limits.ts'
import { VolunteerFigures } from '../../volunteer/volunteer-figures.ts'
import { VolunteerPage } from './volunteer-page.ts'

/** As its owner sees it, in a browser that has opened the link. */
async function openPage() {
  const clock = new RealClock()
  const machine = {
    ...{ cpuMs: () => 0, memoryBytes: () => 95_000_000, othersPerCore: () => 0, isOnBattery: () => false },
    hour: () => 12,
  }
  const limits = new OwnedLimits({ clock, machine }, { ...ownerLimitsDefault, hours: { from: 22, to: 6 } })
  const figures = new VolunteerFigures({ clock })
  const volunteer = { figures, leaders: 2, told: () => [], release: undefined }
  const page = new VolunteerPage({
    ...{ clock, random: new RealRandom(), volunteer, limits },
    memoryBytes: () => machine.memoryBytes(),
    kept: async () => {},
  })
  const server = await startHttpServer({ host: '127.0.0.1', port: 0 }, (request) => page.answer(request))
  onTestFinished(() => server.close(0))
  const origin = `http://127.0.0.1:${server.port}`
  const opened = await fetch(origin + page.newLink(), { redirect: 'manual' })
  const cookie = opened.headers.get('set-cookie')!.split(';', 1)[0]!
  const ask = (path: string, options: RequestInit & { headers?: Record<string, string> } = {}) =>
    fetch(origin + path, { redirect: 'manual', ...options, headers: { cookie, ...options.headers } })
  return { limits, figures, origin, ask }
}

const inGerman = { headers: { 'accept-language': 'de-AT, en;q=0.5' } }

test('the page speaks the language of its reader', async () => {
  const { limits, figures, ask } = await openPage()
  figures.pause = limits.pauseReason()
  const german = await (await ask('/', inGerman)).text()
  assert.match(german, /<html lang="de">/)
  assert.match(german, /Macht Pause: er arbeitet von 22 bis 6 Uhr\./)
  assert.match(await (await ask('/')).text(), /Pauses: it works from 22 to 6 o’clock\./)
  const chosen = (await ask('/language/de')).headers.get('set-cookie')
  assert.match(chosen!, /^polyhistor-language=de;/)
})

test('what is refused is told in that language, too', async () => {
  const { origin, ask } = await openPage()
  const stranger = await fetch(origin, inGerman)
  assert.deepEqual(
    [stranger.status, await stranger.text()],
    [403, 'Öffnen Sie den Link, den der Helfer beim Start ausgegeben hat.\n'],
  )
  const body = new URLSearchParams({ up: '0.1', down: '', cpu: '', hours: '' })
  const refused = await ask('/', { method: 'POST', body, headers: { origin, ...inGerman.headers } })
  assert.equal(refused.status, 400)
  assert.match(await refused.text(), /^Diese Grenzen lassen sich nicht einhalten/)
})

test('limits are taken with either decimal mark', async () => {
  const { limits, origin, ask } = await openPage()
  const body = new URLSearchParams({ up: '1,5', down: '2.5', cpu: '50', hours: '8-18', isMetered: 'yes' })
  const taken = await ask('/', { method: 'POST', body, headers: { origin } })
  assert.equal(taken.status, 303)
  const { up, down, cpu, hours, isMetered, pausesOnBattery } = limits.limits
  assert.deepEqual(
    { up, down, cpu, hours, isMetered, pausesOnBattery },
    { up: 1_500, down: 2_500, cpu: 0.5, hours: { from: 8, to: 18 }, isMetered: true, pausesOnBattery: false },
  )
})
