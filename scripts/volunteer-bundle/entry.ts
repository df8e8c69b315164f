import './plain-order.ts'
import '../../src/cli/volunteer-main.ts'
