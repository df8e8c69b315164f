// No service and no kind of announcement is left out of the attacks: each has samples, and they are what a peer takes for right.
//
// So it does with the samples as the oldest version of the protocol wrote them that is still spoken: fixtures/protocol-N.json, recorded when N
// was new, `RECORD_PROTOCOL=1 npx vitest run sim/hostile/samples.test.ts` (docs/decisions/0123).

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { announcementKinds } from '../../src/app/network/announcement-kinds.ts'
import { homeSeed } from '../../src/app/ring/home-identity.ts'
import { PolyhistorError } from '../../src/errors.ts'
import { protocolVersions } from '../../src/network/membership/protocol-versions.ts'
import { type ServiceName, serviceBytes } from '../../src/platform/calls/call-services.ts'
import { SigningKey } from '../../src/proof/ed25519.ts'
import { WholeNetwork } from '../peer/whole-network.ts'
import { sampleAnnouncements } from './sample-announcements.ts'
import { type SampleQuestions, sampleQuestions, unusedServices } from './sample-questions.ts'

test('every service that a peer has understands its samples, and every kind of announcement has one that is sound', async () => {
  const network = await WholeNetwork.start({
    seed: 'samples',
    peers: 2,
    copies: 2,
    rank: {},
    hasSearch: true,
  })
  await network.settled()
  const { platform, home } = network.peer('peer-0')
  const { peer: self, signer, members, services } = home.ring!
  const other = network.peer('peer-1').home.ring!.peer
  const key = new SigningKey(await network.complete(homeSeed('/home', platform)))
  const announcer = { self, sign: signer.sign.bind(signer), key, ticket: members.proofOf(self) }
  const nowMs = platform.clock.nowMs()
  const [url, aside] = ['http://site.example/', 'http://nowhere.example/']
  const samples = await sampleQuestions({ announcer, signer, other, url, aside, nowMs })
  const ask = (service: ServiceName, question: Uint8Array) =>
    network.complete(
      services
        .service(service)
        .call(other, question, { deadlineMs: 20_000 })
        .then(
          () => 'answered',
          (error) => (error instanceof PolyhistorError ? error.code : String(error)),
        ),
    )

  for (const service of Object.keys(serviceBytes) as ServiceName[]) {
    if ((unusedServices as readonly string[]).includes(service)) {
      assert.equal(
        await ask(service, new Uint8Array()),
        'service-unknown',
        `${service} is answered: it needs samples`,
      )
      continue
    }
    const questions = samples[service as keyof SampleQuestions] ?? []
    assert(questions.length > 0, `${service} has no samples`)
    for (const question of questions) {
      const outcome = await ask(service, question)
      const told = `${service} ${Buffer.from(question).toString('hex').slice(0, 60)}: ${outcome}`
      assert(isUnderstood(outcome), told)
    }
  }
  const fixture = join(import.meta.dirname, `fixtures/protocol-${protocolVersions[0]}.json`)
  if (process.env.RECORD_PROTOCOL) await writeFile(fixture, recordOf(samples))
  const recorded = JSON.parse(await readFile(fixture, 'utf8')) as Record<ServiceName, string[]>
  for (const [service, questions] of Object.entries(recorded)) {
    for (const question of questions) {
      const outcome = await ask(service as ServiceName, Buffer.from(question, 'hex'))
      assert(isUnderstood(outcome), `${service}, as the last version asked: ${question}: ${outcome}`)
    }
  }
  assert.deepEqual(network.faults, [])

  const announced = sampleAnnouncements(announcer, aside, nowMs)
  for (const kind of announcementKinds) {
    const samples = announced.filter((each) => each.kind === kind.kind)
    assert(samples.length > 0, `announcements of the kind ${kind.kind} have no sample`)
    for (const sample of samples) assert.equal(kind.fault(sample), undefined, kind.kind)
  }
})

function isUnderstood(outcome: string): boolean {
  return !/malformed|service-unknown|peer-failed|Error/.test(outcome)
}

/** A question a line, so that a change is seen. */
function recordOf(samples: SampleQuestions): string {
  const hex = Object.entries(samples).map(([service, questions]) => [
    service,
    questions.map((question) => Buffer.from(question).toString('hex')),
  ])
  return `${JSON.stringify(Object.fromEntries(hex), undefined, 2)}\n`
}
