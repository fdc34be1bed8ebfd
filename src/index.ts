/**
 * Typed records over REST: models, stores and proxies for any HTTP API.
 *
 * @module
 */
export { type ChildrenOptions, childrenOf, type ThroughOptions, through } from './children/children.js';
export { saveGraph } from './children/save-graph.js';
export { type ListName, type RowOf, storeOf } from './children/store-of.js';
export { type BracketLimits, bracketFilter } from './dialect/bracket-filter.js';
export { classic } from './dialect/classic.js';
export type {
  Capabilities,
  Dialect,
  DialectOptions,
  TreeKind,
} from './dialect/dialect.js';
export type { FilterTemplate, FilterTemplates, ValueTexts } from './dialect/filter-templates.js';
export { type FilterEncoder, jsonFilter, type TreeNames } from './dialect/filter-tree.js';
export { type PlainOptions, plain, type SortTemplates } from './dialect/plain.js';
export { filterTemplates } from './dialect/template-filter.js';
export type { ByOperator, Misreading, ValueRules } from './dialect/value-rules.js';
export {
  type Conflict,
  ConflictError,
  type FieldConflict,
  type MergeDecision,
  type RecordConflict,
  type RecordDecision,
} from './errors/conflict-error.js';
export { DataError } from './errors/data-error.js';
export { type AnyDataError, type AnyOutcomeError, isDataError } from './errors/is-data-error.js';
export type { MessageKey, MessageParams, Messages } from './errors/message-format.js';
export { AddressError, DefinitionError, type StateCode, StateError } from './errors/mistakes.js';
export { readAnyProblem } from './errors/particular-families.js';
export type { Problem as ServerProblem, ProblemReader } from './errors/problem.js';
export { ReadError } from './errors/read-error.js';
export { AbortError, AuthError, HttpError, NetworkError, TimeoutError } from './errors/request-errors.js';
export { UnsupportedQueryError } from './errors/unsupported-query-error.js';
export { type Issue, ValidationError } from './errors/validation-error.js';
export { BatchError, DependencyError, MergeError, type SyncCode, SyncError } from './errors/write-errors.js';
export type {
  Extension,
  ExtensionEntry,
  ExtensionSource,
  RemovedExtension,
} from './extension/extension.js';
export { off } from './extension/hooks.js';
export type { Locks } from './extensions/auth.js';
export { type AuthConfig, auth, type RenewContext } from './extensions/auth.js';
export { confirm } from './extensions/confirm.js';
export { type ConflictsConfig, conflicts } from './extensions/conflicts/conflicts.js';
export { type EtagsConfig, etags } from './extensions/etags.js';
export { type FormBodiesConfig, formBodies, type UploadProgress } from './extensions/form-bodies.js';
export { type IdempotencyConfig, idempotency } from './extensions/idempotency.js';
export { type RateLimitConfig, rateLimit } from './extensions/rate-limit.js';
export { type BackoffConfig, type RetryConfig, retry } from './extensions/retry.js';
export { type SafeWritesConfig, safeWrites } from './extensions/safe-writes.js';
export { streaming } from './extensions/streaming.js';
export { type OperationEvent, type TelemetryConfig, telemetry } from './extensions/telemetry.js';
export { type DateInput, localDateTime } from './form/local-date-time.js';
export { type FormFieldSnapshot, type FormOptions, type FormSnapshot, RecordForm } from './form/record-form.js';
export type { BodyCodec } from './http/body-codec.js';
export type { HeadersConfig } from './http/headers.js';
export type { HttpResponse, Limit, Receive } from './http/http-response.js';
export type {
  ActionOptions,
  CallbackOptions,
  ReadOptions,
  RecordLoadOptions,
  SaveOptions,
  SharedLoadOptions,
} from './model/action-options.js';
export type { ActionConfig, ActionConfigs, Actions, DeclaredAction } from './model/action-types.js';
export { compositeId, type IdParts } from './model/composite-field.js';
export { copyOf } from './model/copy-of.js';
export { type DateFormat, dateFormat } from './model/date-format.js';
export { decide } from './model/decide.js';
export { action, bigint, decimal, embed, fieldType, reference } from './model/declarations.js';
export {
  type AnyModel,
  type Declared,
  type DeclaredType,
  type Field,
  type FieldConfig,
  type FieldOptions,
  type Fields,
  type FieldType,
  type FieldTypes,
  json,
  type ModelType,
  type Reference,
  type ReferenceConfig,
  type Referred,
  type TypeName,
} from './model/field.js';
export { type FieldInfo, type FieldInfos, fieldsOf } from './model/field-info.js';
export type { FieldLimits } from './model/field-limits.js';
export type { FieldTypeHandler, ParsedValue, ValueRefusal } from './model/field-types.js';
export { type IdentifierConfig, type IdentifierOptions, uuid } from './model/identifier.js';
export type {
  FieldName,
  FieldValue,
  Immutable,
  ModelClass,
  Path,
  Problem,
  RecordInput,
  RecordState,
  ReservedName,
  Typed,
  VALUES,
  ValueAt,
  Values,
  ValuesOf,
} from './model/infer.js';
export { Model, type ModelEvents } from './model/model.js';
export type {
  ConfigOf,
  ModelConfig,
  ModelDefaults,
  NamedProxy,
  ProxyClass,
  ProxyOption,
  ProxyTypes,
} from './model/model-config.js';
export type { Naming } from './model/model-definition.js';
export type { FieldSnapshot, RecordSnapshot } from './model/record-sources.js';
export {
  type Constraint,
  email,
  exclusion,
  type Finding,
  format,
  inclusion,
  length,
  type Presence,
  type PresenceOptions,
  presence,
  range,
  url,
  type Validator,
  type ValidatorOptions,
} from './model/validators.js';
export type { Action, AnyId, HttpMethod, RecordId } from './operation/actions.js';
export { Batch, type Outcome } from './operation/batch.js';
export {
  type AskedQuery,
  Operation,
  type OperationConfig,
  type QueryPlace,
  type RowsListener,
  type StreamProgress,
} from './operation/operation.js';
export type { OperationRecord, RecordModel, WireField } from './operation/operation-record.js';
export type { Params, ParamsConfig } from './operation/params-config.js';
export { ProxyRequest, type ProxyRequestConfig, type ReadAddress } from './operation/proxy-request.js';
export type {
  Direction,
  Filter,
  Grouper,
  Locale,
  Nulls,
  Operator,
  Sorter,
} from './operation/query-parts.js';
export {
  type BulkEntry,
  type IncludedRow,
  type NextPage,
  ResultSet,
  type ResultSetConfig,
} from './operation/result-set.js';
export type { SortTypeName } from './operation/sort-types.js';
export { type ActionMethods, AjaxProxy, AjaxProxy as ServerProxy, type SendConfig } from './proxy/ajax-proxy.js';
export { type BatchActions, DataProxy, type DataProxyConfig } from './proxy/data-proxy.js';
export { type ExplainConfig, type Explanation, explain, printExplanation, type TracePart } from './proxy/explain.js';
export { MemoryProxy, type MemoryProxyConfig } from './proxy/memory-proxy.js';
export type {
  Addresses,
  AjaxProxyConfig,
  CountAddress,
  RestProxyConfig,
} from './proxy/proxy-config.js';
export { RestProxy } from './proxy/rest-proxy.js';
export { type RowCount, rowCount } from './proxy/total-counts.js';
export {
  type EmptyMeaning,
  type EmptyMeanings,
  JsonReader,
  type JsonReaderConfig,
  type RecordPlaces,
  type SavedPlaces,
} from './reader/json-reader.js';
export type { Place } from './reader/place.js';
export { pagesOf } from './store/all-pages.js';
export { differenceOf, type ListDifference, type Splice } from './store/difference.js';
export { keepFresh, type Refreshable } from './store/keep-fresh.js';
export type { KeepFreshOptions, PageEvents } from './store/keep-fresh-options.js';
export {
  type FieldListOptions,
  type ListOptions,
  type ListRecord,
  type ListValues,
  listOf,
  type RowListOptions,
  type RowValues,
  type TupleListOptions,
  type TupleValues,
} from './store/list-of.js';
export { nextPage, previousPage } from './store/next-page.js';
export type { LoadMoreOptions, LoadOptions } from './store/paging.js';
export type { PendingRecords } from './store/pending-changes.js';
export type { StoreProxy } from './store/proxy-source.js';
export type {
  CompareOperator,
  Condition,
  FieldFilter,
  FieldFilterOptions,
  FilterConfig,
  FilterList,
  FunctionSorter,
  GrouperConfig,
  PropertySorter,
  SorterConfig,
  SortName,
  TextOperator,
} from './store/query.js';
export { type Asked, type AskedPart, Query, type QueryConfig } from './store/query.js';
export type { QueryData } from './store/query-data.js';
export { queryFromJSON } from './store/query-from-json.js';
export { receive, refreshStale } from './store/receive.js';
export type { RecordView } from './store/record-view.js';
export { type RecordWindow, windowOf } from './store/record-window.js';
export type { RemoteSetting } from './store/remote-rules.js';
export { Selection, type SelectionSnapshot, type SelectionTest, selectionOf } from './store/selection.js';
export type { ListSnapshot } from './store/snapshot.js';
export type { StaleReason, StoreStatus } from './store/status-feed.js';
export { Store } from './store/store.js';
export type {
  PagesOptions,
  QueryOptions,
  ReceiveOptions,
  StoreChange,
  StoreConfig,
  StoreEvents,
  SyncOptions,
  SyncProgress,
  ViewConfig,
  ViewEvents,
} from './store/store-config.js';
export { type RollbackOption, rollback } from './store/sync-rollback.js';
export { View, viewOf } from './store/view.js';
export {
  and,
  type FieldCondition,
  type FieldWhere,
  type ListWhere,
  not,
  or,
  type TextWhere,
  type Where,
  where,
} from './store/where.js';
export type {
  IndexRange,
  LoadState,
  WindowChange,
  WindowConfig,
  WindowEvents,
  WindowSnapshot,
} from './store/window-config.js';
export { type ApplyOptions, applyChanges } from './sync/apply-changes.js';
export { type Fork, fork } from './sync/fork.js';
export { Session } from './sync/session.js';
export { changesOf, type SessionChange } from './sync/session-changes.js';
export type { SessionStatus } from './sync/session-feed.js';
export { type RecordOf, type Syncable, sync } from './sync/sync.js';
export type { Clock } from './util/clock.js';
export type { CompositeId } from './util/composite-id.js';
export { LongNumber } from './util/long-number.js';
export type { StandardSchemaV1 } from './util/standard-schema.js';
export type { Source } from './util/value-source.js';
export {
  type BodyType,
  type FormNames,
  type FormTexts,
  JsonWriter,
  type JsonWriterConfig,
} from './writer/json-writer.js';
