// What runs in the thread that takes part in reading contents when many are read at the same time.

export { provePayload as work } from '../../store/contents/payload-proof.ts'
