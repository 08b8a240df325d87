/* Records requests, and replays them on another emitter later. See recorder.h.
 *
 *   request 0   TypeSpec <signature>                -> 7F000000
 *   request 1   MemberRef of 7F000000, "Add", ...   -> 7F000001
 *   replay      tokens[0] = 1B000012, tokens[1] = 0A0000F3, with parents replaced before
 *
 * A signature holds tokens in compressed form, whose size depends on their value, so it can hold no
 * provisional ones: AssemblyRef and TypeRef are refused. */
#include "inspect/threads/recorder.h"

#define MAX_REQUESTS 0xFFFFFFu /* per method: as many as a token can number */

/* Refusing is not an error of the method: the caller's thread does it again with the real
 * emitter. */
static ilp_status refuse(struct ilpi_recorder *recorder, struct ilp_error *error)
{
    recorder->refused = true;
    return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0, "to be done by one thread");
}

/* The token is the number within the method, in a table that no metadata has (ILPI_PROVISIONAL).
 * Bytes and names are offsets, since the buffer moves when it grows. */
static ilp_status record(struct ilpi_recorder *recorder, enum ilpi_recorded_kind kind,
                         ilp_token parent, struct ilp_bytes bytes, const char *name,
                         ilp_token *token, struct ilp_error *error)
{
    struct ilpi_recording *recording = recorder->recording;
    size_t number = recording->requests.count - recorder->first;
    struct ilpi_recorded request = {.kind = kind,
                                    .parent = parent,
                                    .at = recording->bytes.size,
                                    .size = bytes.size,
                                    .name = recording->bytes.size + bytes.size};
    ilpi_buf_bytes_add(&recording->bytes, bytes.data, bytes.size);
    ilpi_buf_bytes_add(&recording->bytes, name, strlen(name) + 1);
    if (recording->bytes.status != ILP_OK || number > MAX_REQUESTS ||
        ILPI_LIST_ADD(recording->bytes.alloc, &recording->requests, request, NULL) != ILP_OK) {
        return refuse(recorder, error);
    }
    *token = ILP_TOKEN(ILPI_PROVISIONAL, (uint32_t)number);
    return ILP_OK;
}

/* ---- the emitter ---- */

/* Tokens of assemblies and types may be part of signatures: see the head. */
static ilp_status assembly_ref(void *user, const struct ilp_assembly_name *name, ilp_token *token,
                               struct ilp_error *error)
{
    (void)name, (void)token;
    return refuse(user, error);
}

static ilp_status type_ref(void *user, ilp_token scope, const char *name_space, const char *name,
                           ilp_token *token, struct ilp_error *error)
{
    (void)scope, (void)name_space, (void)name, (void)token;
    return refuse(user, error);
}

/* `remembered`: the rewriter keeps tokens of this kind for later methods, which a provisional one
 * must not become. */
static ilp_status member_ref(void *user, ilp_token parent, const char *name,
                             struct ilp_bytes signature, ilp_token *token, struct ilp_error *error)
{
    struct ilpi_recorder *recorder = user;
    recorder->remembered = true;
    return record(recorder, ILPI_RECORDED_MEMBER_REF, parent, signature, name, token, error);
}

static ilp_status type_spec(void *user, struct ilp_bytes signature, ilp_token *token,
                            struct ilp_error *error)
{
    return record(user, ILPI_RECORDED_TYPE_SPEC, 0, signature, "", token, error);
}

static ilp_status method_spec(void *user, ilp_token method, struct ilp_bytes instantiation,
                              ilp_token *token, struct ilp_error *error)
{
    return record(user, ILPI_RECORDED_METHOD_SPEC, method, instantiation, "", token, error);
}

static ilp_status standalone_sig(void *user, struct ilp_bytes signature, ilp_token *token,
                                 struct ilp_error *error)
{
    struct ilpi_recorder *recorder = user;
    recorder->remembered = true;
    return record(recorder, ILPI_RECORDED_STANDALONE_SIG, 0, signature, "", token, error);
}

static ilp_status user_string(void *user, struct ilp_bytes utf8, ilp_token *token,
                              struct ilp_error *error)
{
    return record(user, ILPI_RECORDED_USER_STRING, 0, utf8, "", token, error);
}

static ilp_status pinvoke(void *user, const struct ilp_pinvoke *method, ilp_token *token,
                          struct ilp_error *error)
{
    (void)method, (void)token;
    return refuse(user, error);
}

void ilpi_recorder_init(struct ilpi_recorder *recorder)
{
    *recorder = (struct ilpi_recorder){
        .interface = {.user = recorder,
                      .assembly_ref = assembly_ref,
                      .type_ref = type_ref,
                      .member_ref = member_ref,
                      .type_spec = type_spec,
                      .method_spec = method_spec,
                      .standalone_sig = standalone_sig,
                      .user_string = user_string,
                      .pinvoke = pinvoke},
    };
}

/* Methods follow each other in one recording; `first` is where this one's tokens count from. */
void ilpi_recorder_begin(struct ilpi_recorder *recorder, struct ilpi_recording *recording)
{
    recorder->recording = recording;
    recorder->first = recording->requests.count;
    recorder->refused = false;
    recorder->remembered = false;
}

/* ---- replaying ---- */

static ilp_status request(const struct ilpi_recording *recording,
                          const struct ilpi_recorded *recorded, const struct ilp_emitter *emitter,
                          const ilp_token *tokens, ilp_token *token, struct ilp_error *error)
{
    struct ilp_bytes bytes = {recording->bytes.data + recorded->at, recorded->size};
    ilp_token parent = ilpi_final_token(tokens, recorded->parent);
    switch (recorded->kind) {
    case ILPI_RECORDED_MEMBER_REF:
        return emitter->member_ref(emitter->user, parent,
                                   (const char *)recording->bytes.data + recorded->name, bytes,
                                   token, error);
    case ILPI_RECORDED_TYPE_SPEC: return emitter->type_spec(emitter->user, bytes, token, error);
    case ILPI_RECORDED_METHOD_SPEC:
        return emitter->method_spec(emitter->user, parent, bytes, token, error);
    case ILPI_RECORDED_STANDALONE_SIG:
        return emitter->standalone_sig(emitter->user, bytes, token, error);
    case ILPI_RECORDED_USER_STRING: break;
    }
    return emitter->user_string(emitter->user, bytes, token, error);
}

/* In the order of recording: a request's parent has a lower number, so its token is known. */
ilp_status ilpi_recording_replay(const struct ilpi_recording *recording, size_t first, size_t count,
                                 const struct ilp_emitter *emitter, ilp_token *tokens,
                                 struct ilp_error *error)
{
    for (size_t i = 0; i < count; i++) {
        ILPI_TRY(request(recording, &recording->requests.items[first + i], emitter, tokens,
                         &tokens[i], error));
    }
    return ILP_OK;
}
