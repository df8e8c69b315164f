// A hello comes from anybody: whatever it says, it is read or refused.

import fc from 'fast-check'
import { Unfit } from './fields.ts'
import { readHello } from './hello.ts'
import { readInvitation } from './invitation.ts'
import { NetworkError } from './network-error.ts'

const fields = fc.record(
  {
    network: fc.oneof(fc.string(), fc.jsonValue()),
    versionMin: fc.oneof(fc.nat(), fc.jsonValue()),
    versionMax: fc.oneof(fc.nat(), fc.jsonValue()),
    program: fc.oneof(fc.string(), fc.jsonValue()),
    addresses: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
    membership: fc.oneof(
      fc.jsonValue(),
      fc.record({
        peer: fc.string(),
        grant: fc.jsonValue(),
        signature: fc.base64String(),
        witness: fc.jsonValue(),
      }),
    ),
    witness: fc.jsonValue(),
  },
  { requiredKeys: [] },
)

export const properties = [
  {
    name: 'bytes are read or refused',
    property: fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => readsOrRefuses(bytes)),
  },
  {
    name: 'JSON is read or refused',
    property: fc.property(fields, (value) => readsOrRefuses(Buffer.from(JSON.stringify(value)))),
  },
  {
    name: 'a text is an invitation or not',
    property: fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      for (const whole of [text, `polyhistor-invitation-1.${Buffer.from(text).toString('base64url')}`]) {
        try {
          readInvitation(whole)
        } catch (error) {
          if (!(error instanceof NetworkError)) throw error
        }
      }
    }),
  },
]

function readsOrRefuses(bytes: Uint8Array): void {
  try {
    readHello(bytes)
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
  }
}
