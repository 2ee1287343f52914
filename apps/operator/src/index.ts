/** The operator of kaas, to be run by a program or a test. */
export { Operator } from "./leading/operator.js";
export type { OperatorOptions } from "./leading/operator-options.js";
export { openOperator, type OpenOperatorOptions } from "./open-operator.js";
